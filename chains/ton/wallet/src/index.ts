/**
 * TON browser wallets, through the JavaScript bridge of TON Connect that each of them injects. No wallet list is
 * fetched and no bridge server is used. The service says where the sender's jetton wallet is, next to the comment.
 */
import { type Account, type Wallet, type WalletAction, type WalletFamily, WalletProblem } from '@causeway/core/wallet'
import { readAddress } from './address.ts'
import { type Message, messageOf } from './messages.ts'

interface Bridge {
  protocolVersion?: number
  walletInfo?: { name?: string; image?: string }
  connect(version: number, request: object): Promise<{ event: string; payload: Payload }>
  disconnect?(): void
  send(call: { method: string; params: string[]; id: string }): Promise<{ error?: { code: number } }>
}

interface Payload {
  items?: { name: string; address?: string; network?: string }[]
  code?: number
}

interface Request {
  message: Message
  network: string | null
}

const PROTOCOL = 2
const REJECTED = 300
const VALID_SECONDS = 300

export const family: WalletFamily = {
  discover(found) {
    const bridges = Object.entries(globalThis).flatMap(([key, value]) => {
      const bridge = (value as { tonconnect?: Bridge } | null)?.tonconnect
      return typeof bridge?.connect === 'function' ? [walletOf(key, bridge)] : []
    })
    found(bridges)
    return () => undefined
  },
  readAddress,
  paymentLink,
}

function walletOf(key: string, bridge: Bridge): Wallet {
  const id = `ton ${key}`
  let calls = 0
  let on: string | null = null
  return {
    id,
    name: (bridge.walletInfo?.name ?? key).slice(0, 40),
    icon: /^data:image\//.test(bridge.walletInfo?.image ?? '') ? (bridge.walletInfo?.image ?? null) : null,
    kind: 'injected',
    async connect() {
      const manifestUrl = new URL('/tonconnect-manifest.json', location.href).href
      const { event, payload } = await bridge.connect(PROTOCOL, { manifestUrl, items: [{ name: 'ton_addr' }] })
      const { address, network } = payload.items?.find(({ name }) => name === 'ton_addr') ?? {}
      if (event !== 'connect' || !address) throw new WalletProblem(payload.code === REJECTED ? 'rejected' : 'locked')
      on = network ?? null
      return [{ address, wallet: id } satisfies Account]
    },
    disconnect: async () => bridge.disconnect?.(),
    onChange: () => () => undefined,
    network: async () => on,
    async steps(action, { address }) {
      const network = action.network.chain_id
      if (on !== null && network !== null && on !== network) throw new WalletProblem('wrong_network')
      return [{ kind: 'deposit', request: { message: messageOf(action, address), network } satisfies Request }]
    },
    async send({ request }, account) {
      const { message: first, network } = request as Request
      const message = {
        valid_until: Math.floor(Date.now() / 1000) + VALID_SECONDS,
        from: account.address,
        // A wallet that has switched to another network rejects the message.
        ...(network === null ? {} : { network }),
        messages: [first],
      }
      calls += 1
      const { error } = await bridge.send({
        method: 'sendTransaction',
        params: [JSON.stringify(message)],
        id: String(calls),
      })
      if (error) throw new WalletProblem(error.code === REJECTED ? 'rejected' : 'failed')
      // The wallet returns the message, not the transaction, so the hash is read from the chain.
      return { hash: null }
    },
  }
}

function paymentLink({ to_address: to, amount_in_base_units: units, token, call_data: data }: WalletAction): string {
  const query = new URLSearchParams()
  if (units !== '0') query.set('amount', units)
  if (token.contract !== null) query.set('jetton', token.contract)
  const comment = data === null ? null : (JSON.parse(data) as { comment?: string }).comment
  if (comment) query.set('text', comment)
  return `ton://transfer/${to}?${query}`
}

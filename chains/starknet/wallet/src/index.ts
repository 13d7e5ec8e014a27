/**
 * Starknet browser wallets: each is a global object whose name starts with `starknet`. The two calls of a deposit are
 * passed unchanged, and are executed together or not at all.
 */
import {
  type Account,
  type Stop,
  type Wallet,
  type WalletAction,
  type WalletFamily,
  WalletProblem,
} from '@causeway/core/wallet'
import { readAddress } from './address.ts'

interface Request {
  type: string
  params?: unknown
}

interface Provider {
  id: string
  name: string
  icon?: string | { light?: string; dark?: string }
  request(request: Request): Promise<unknown>
  on?(event: string, listener: (accounts?: string[]) => void): void
  off?(event: string, listener: (accounts?: string[]) => void): void
}

interface Call {
  contractAddress: string
  entrypoint: string
  calldata: string[]
}

interface Deposit {
  calls: Call[]
  chainId: string | null
}

export const family: WalletFamily = {
  discover(found) {
    const place = globalThis as Record<string, unknown>
    const providers = Object.keys(place)
      .filter((name) => name.startsWith('starknet'))
      .map((name) => place[name])
      .filter(isProvider)
    const byId = new Map(providers.map((provider) => [provider.id, provider]))
    found([...byId.values()].map(walletOf))
    return () => undefined
  },
  readAddress,
  paymentLink: ({ to_address: to }) => to,
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'request' in value && 'id' in value && 'name' in value
}

function walletOf(provider: Provider): Wallet {
  const { id, name, icon } = provider
  const picture = typeof icon === 'string' ? icon : (icon?.light ?? '')
  const ask = (type: string, params?: unknown) => provider.request({ type, ...(params ? { params } : {}) }).catch(fail)
  const accountsIn = (answer: unknown): Account[] =>
    (Array.isArray(answer) ? answer : []).flatMap((text) => {
      const read = readAddress(String(text))
      return read.state === 'ok' ? [{ address: read.address, wallet: id }] : []
    })
  const chain = async () => {
    const answer = await ask('wallet_requestChainId')
    return typeof answer === 'string' ? answer : null
  }
  return {
    id: `starknet ${id}`,
    name: String(name).slice(0, 40),
    icon: picture.startsWith('data:image/') ? picture : null,
    kind: 'injected',
    async connect() {
      const accounts = accountsIn(await ask('wallet_requestAccounts'))
      if (accounts.length === 0) throw new WalletProblem('locked')
      return accounts
    },
    disconnect: async () => undefined,
    onChange(listener): Stop {
      const tell = (accounts?: string[]) => listener(accountsIn(accounts))
      provider.on?.('accountsChanged', tell)
      return () => provider.off?.('accountsChanged', tell)
    },
    network: chain,
    async switchTo({ chain_id: chainId }) {
      await ask('wallet_switchStarknetChain', { chainId })
    },
    async steps(action) {
      const chainId = action.network.chain_id
      return [{ kind: 'deposit', request: { calls: callsOf(action), chainId } satisfies Deposit }]
    },
    async send({ request }, account) {
      const { calls: given, chainId } = request as Deposit
      const on = await chain()
      if (on !== null && chainId !== null && feltOf(on) !== feltOf(chainId)) throw new WalletProblem('wrong_network')
      const now = accountsIn(await ask('wallet_requestAccounts', { silent_mode: true }))
      if (!now.some(({ address }) => address === account.address)) throw new WalletProblem('wrong_account')
      const calls = given.map(({ contractAddress, entrypoint, calldata }) => ({
        contract_address: contractAddress,
        entry_point: entrypoint,
        calldata,
      }))
      const answer = await ask('wallet_addInvokeTransaction', { calls })
      const { transaction_hash: hash } = (answer ?? {}) as { transaction_hash?: unknown }
      return { hash: typeof hash === 'string' ? hash : null }
    },
    signTypedData: async (data) => JSON.stringify(await ask('wallet_signTypedData', data)),
    async signText(text) {
      const chainId = await ask('wallet_requestChainId')
      return JSON.stringify(await ask('wallet_signTypedData', textToSign(text, chainId)))
    },
  }
}

/** The text as a list of lines, since most wallets cannot sign a line break (SNIP-12). */
function textToSign(text: string, chainId: unknown) {
  return {
    types: {
      StarknetDomain: ['name', 'version', 'chainId', 'revision'].map((name) => ({ name, type: 'shortstring' })),
      Message: [{ name: 'lines', type: 'string*' }],
    },
    primaryType: 'Message',
    domain: { name: 'Causeway', version: '1', chainId, revision: '1' },
    message: { lines: text.split('\n').filter((line) => line !== '') },
  }
}

/** Wallets report a chain id as a number, or as a short string. */
function feltOf(text: string): bigint {
  if (text.startsWith('0x')) return BigInt(text)
  return [...text].reduce((sum, letter) => sum * 256n + BigInt(letter.charCodeAt(0)), 0n)
}

/** Both calls are required: without the second one the deposit names no swap. */
function callsOf({ call_data: text }: WalletAction): Call[] {
  const calls: unknown = JSON.parse(text ?? 'null')
  if (!Array.isArray(calls) || calls.length < 2) throw new WalletProblem('unsupported')
  return calls as Call[]
}

function fail(error: unknown): never {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (code === 113 || /refused|reject|abort|denied/i.test(message)) throw new WalletProblem('rejected', error)
  throw new WalletProblem(/insufficient|exceed.*balance/i.test(message) ? 'funds' : 'failed', error)
}

/**
 * Tron browser wallets: those that announce themselves (TIP-6963), and the one at `tron` or `tronLink`. Each brings its
 * own tronWeb, which builds the transfer, adds the memo, signs and sends it.
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

/** A transaction in tronWeb's format. */
type Unsigned = Record<string, unknown>

interface TronWeb {
  defaultAddress?: { base58?: string | false }
  transactionBuilder: {
    sendTrx(to: string, sun: number, from: string): Promise<Unsigned>
    triggerSmartContract(
      contract: string,
      method: string,
      options: { feeLimit: number },
      parameters: { type: string; value: string }[],
      from: string,
    ): Promise<{ transaction: Unsigned }>
    addUpdateData(transaction: Unsigned, data: string, format: 'utf8'): Promise<Unsigned>
  }
  trx: {
    sign(transaction: Unsigned): Promise<Unsigned>
    sendRawTransaction(signed: Unsigned): Promise<{ result?: boolean; txid?: string; code?: string }>
    getBlockByNumber?(number: number): Promise<{ blockID?: string }>
    signMessageV2?(text: string): Promise<string>
  }
}

interface Provider {
  request(request: { method: string; params?: unknown }): Promise<unknown>
  tronWeb?: TronWeb | false
  on?(event: string, listener: (accounts: string[]) => void): void
  removeListener?(event: string, listener: (accounts: string[]) => void): void
}

interface Announced {
  info?: { rdns?: string; name?: string; icon?: string }
  provider?: unknown
}

/** The most a token transfer may burn: far above its cost; the unused part is not charged. */
const FEE_LIMIT_SUN = 150_000_000
const LARGEST_SUN = BigInt(Number.MAX_SAFE_INTEGER)

export const family: WalletFamily = {
  discover(found): Stop {
    const wallets = new Map<string, Wallet>()
    const tell = () => found([...wallets.values()])
    const heard = (event: Event) => {
      const { info, provider } = ((event as CustomEvent).detail ?? {}) as Announced
      const id = String(info?.rdns ?? info?.name ?? '')
      if (id === '' || !isProvider(provider) || wallets.has(id)) return
      wallets.set(id, walletOf(id, String(info?.name ?? id), String(info?.icon ?? ''), provider))
      tell()
    }
    globalThis.addEventListener('TIP6963:announceProvider', heard)
    globalThis.dispatchEvent(new Event('TIP6963:requestProvider'))
    const { tron, tronLink } = globalThis as Record<string, unknown>
    const standing = isProvider(tron) ? tron : tronLink
    if (wallets.size === 0 && isProvider(standing))
      wallets.set('tronlink', walletOf('tronlink', 'TronLink', '', standing))
    tell()
    return () => globalThis.removeEventListener('TIP6963:announceProvider', heard)
  },
  readAddress,
  paymentLink: ({ to_address: to }) => to,
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'request' in value
}

function walletOf(id: string, name: string, icon: string, provider: Provider): Wallet {
  const accountsIn = (texts: readonly unknown[]): Account[] =>
    texts.flatMap((text) => {
      const read = readAddress(String(text))
      return read.state === 'ok' ? [{ address: read.address, wallet: id }] : []
    })
  const chosen = (): Account[] => accountsIn([webOf(provider)?.defaultAddress?.base58 || ''])
  return {
    id: `tron ${id}`,
    name: name.slice(0, 40),
    icon: icon.startsWith('data:image/') ? icon : null,
    kind: 'injected',
    async connect() {
      const answer = await provider.request({ method: 'eth_requestAccounts' }).catch((error) => older(provider, error))
      const accounts = Array.isArray(answer) ? accountsIn(answer) : chosen()
      if (accounts.length === 0) throw new WalletProblem('locked')
      return accounts
    },
    disconnect: async () => undefined,
    onChange(listener) {
      const tell = (accounts: string[]) => listener(accountsIn(accounts))
      provider.on?.('accountsChanged', tell)
      return () => provider.removeListener?.('accountsChanged', tell)
    },
    network: () => chainOf(webOf(provider)),
    async switchTo({ chain_id: chain }) {
      const chainId = `0x${BigInt(chain ?? '0').toString(16)}`
      await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] }).catch(fail)
    },
    async steps(action) {
      // The memo names the swap; without it nothing may be sent.
      if (action.call_data === null || BigInt(action.amount_in_base_units) > LARGEST_SUN)
        throw new WalletProblem('unsupported')
      return [{ kind: 'deposit', request: action }]
    },
    async send({ request }, account) {
      const web = webOf(provider)
      if (!web) throw new WalletProblem('locked')
      if (!chosen().some(({ address }) => address === account.address)) throw new WalletProblem('wrong_account')
      const [on, wanted] = [await chainOf(web), (request as WalletAction).network.chain_id]
      if (on !== null && wanted !== null && on !== wanted) throw new WalletProblem('wrong_network')
      return { hash: await transfer(web, request as WalletAction, account.address).catch(fail) }
    },
    async signText(text) {
      const sign = webOf(provider)?.trx.signMessageV2
      if (!sign) throw new WalletProblem('unsupported')
      return sign(text).catch(fail)
    },
  }
}

function webOf({ tronWeb }: Provider): TronWeb | null {
  return tronWeb || null
}

/** The chain of the wallet's node: its id is the end of the genesis block's hash. Null if unknown. */
async function chainOf(web: TronWeb | null): Promise<string | null> {
  const first = await web?.trx.getBlockByNumber?.(0).catch(() => null)
  return first?.blockID ? BigInt(`0x${first.blockID.slice(-8)}`).toString() : null
}

/** Asks an older wallet for its accounts: it has only a method of its own instead of TIP-1193. */
async function older(provider: Provider, error: unknown): Promise<unknown> {
  if ((error as { code?: unknown } | null)?.code === 4001) return fail(error)
  return provider.request({ method: 'tron_requestAccounts' }).catch(fail)
}

async function transfer({ transactionBuilder: builder, trx }: TronWeb, action: WalletAction, from: string) {
  const { to_address: to, amount_in_base_units: units, token, call_data: memo } = action
  const plain = token.contract
    ? (
        await builder.triggerSmartContract(
          token.contract,
          'transfer(address,uint256)',
          { feeLimit: FEE_LIMIT_SUN },
          [
            { type: 'address', value: to },
            { type: 'uint256', value: units },
          ],
          from,
        )
      ).transaction
    : await builder.sendTrx(to, Number(units), from)
  const signed = await trx.sign(await builder.addUpdateData(plain, memo ?? '', 'utf8'))
  const { result, txid, code } = await trx.sendRawTransaction(signed)
  if (result !== true) throw new Error(code ?? 'not sent')
  return txid ?? null
}

function fail(error: unknown): never {
  const { code, message = String(error) } = (error ?? {}) as { code?: unknown; message?: string }
  if (code === 4001 || /reject|cancel|declin|denied/i.test(message)) throw new WalletProblem('rejected', error)
  throw new WalletProblem(/balance|insufficient|BANDWI/i.test(message) ? 'funds' : 'failed', error)
}

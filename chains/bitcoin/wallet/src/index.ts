/**
 * Bitcoin browser wallets that can send with a memo, found in `btc_providers` or at the older global names. For all
 * others the pages offer a deposit address.
 */
import { type Account, type Wallet, type WalletAction, type WalletFamily, WalletProblem } from '@causeway/core/wallet'
import { readAddress } from './address.ts'

/** The methods that wallets with memo support share. */
interface Provider {
  requestAccounts(): Promise<string[]>
  getAccounts?(): Promise<string[]>
  sendBitcoin(to: string, sats: number, options: { memo: string }): Promise<string>
  signMessage?(text: string): Promise<string>
}

interface Listed {
  id: string
  name: string
  icon?: string
}

const LARGEST_SATS = BigInt(Number.MAX_SAFE_INTEGER)

export const family: WalletFamily = {
  discover(found) {
    const place = globalThis as Record<string, unknown>
    const listed = Array.isArray(place.btc_providers) ? (place.btc_providers as Listed[]) : []
    const older: Listed[] = isProvider(place.unisat) ? [{ id: 'unisat', name: 'UniSat' }] : []
    const wallets = [...listed, ...older].flatMap(({ id, name, icon = '' }) => {
      const provider = at(place, String(id))
      return isProvider(provider) ? [walletOf(String(id), String(name).slice(0, 40), icon, provider)] : []
    })
    found(wallets)
    return () => undefined
  },
  readAddress,
  paymentLink,
}

function at(place: Record<string, unknown>, dotted: string): unknown {
  return dotted.split('.').reduce<unknown>((within, name) => (within as Record<string, unknown> | null)?.[name], place)
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'sendBitcoin' in value && 'requestAccounts' in value
}

function walletOf(id: string, name: string, icon: string, provider: Provider): Wallet {
  const shown = (addresses: string[]): Account[] => addresses.map((address) => ({ address, wallet: id }))
  return {
    id: `bitcoin ${id}`,
    name,
    icon: icon.startsWith('data:image/') ? icon : null,
    kind: 'injected',
    async connect() {
      const accounts = shown(await provider.requestAccounts().catch(fail))
      if (accounts.length === 0) throw new WalletProblem('locked')
      return accounts
    },
    disconnect: async () => undefined,
    onChange: () => () => undefined,
    network: async () => null,
    async steps(action) {
      // The memo names the swap; a wallet that cannot carry it must not send.
      if (action.call_data === null || BigInt(action.amount_in_base_units) > LARGEST_SATS)
        throw new WalletProblem('unsupported')
      return [{ kind: 'deposit', request: action }]
    },
    async send({ request }, account) {
      const { to_address: to, amount_in_base_units: sats, call_data: number } = request as WalletAction
      const now = (await provider.getAccounts?.()) ?? [account.address]
      if (!now.includes(account.address)) throw new WalletProblem('wrong_account')
      if (number === null) throw new WalletProblem('unsupported')
      return { hash: await provider.sendBitcoin(to, Number(sats), { memo: memoOf(number) }).catch(fail) }
    },
    ...(provider.signMessage && {
      async signText(text: string, account: Account) {
        const now = (await provider.getAccounts?.()) ?? [account.address]
        if (now[0] !== account.address) throw new WalletProblem('wrong_account')
        const signature = await provider.signMessage?.(text).catch(fail)
        if (!signature) throw new WalletProblem('unsupported')
        return signature
      },
    }),
  }
}

/**
 * The sequence number in hex. The end mark makes it text, because some wallets encode anything that looks like hex as
 * bytes.
 */
function memoOf(number: string): string {
  return `${BigInt(number).toString(16)};`
}

function fail(error: unknown): never {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  const isRejected = code === 4001 || /reject|cancel|denied/i.test(message)
  throw new WalletProblem(isRejected ? 'rejected' : /insufficient/i.test(message) ? 'funds' : 'failed', error)
}

/** BIP 21. */
function paymentLink({ to_address: to, amount_in_base_units: units, token }: WalletAction): string {
  if (units === '0') return `bitcoin:${to}`
  const digits = units.padStart(token.decimals + 1, '0')
  const fraction = digits.slice(-token.decimals).replace(/0+$/, '')
  return `bitcoin:${to}?amount=${digits.slice(0, -token.decimals)}${fraction && `.${fraction}`}`
}

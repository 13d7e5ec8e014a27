/** A Wallet Standard wallet that can send on Solana. It gets our transaction bytes unchanged. */
import type { Account, Wallet, WalletAction } from '@causeway/core/wallet'
import { WalletProblem, type WalletProblemCode } from '@causeway/core/wallet'
import type { getWallets } from '@wallet-standard/app'
import { toBase58 } from './base58.ts'

type StandardWallet = ReturnType<ReturnType<typeof getWallets>['get']>[number]
type StandardAccount = StandardWallet['accounts'][number]

const CONNECT = 'standard:connect'
const DISCONNECT = 'standard:disconnect'
const EVENTS = 'standard:events'
const SEND = 'solana:signAndSendTransaction'
const SIGN_TEXT = 'solana:signMessage'

interface Features {
  [CONNECT]?: { connect(): Promise<{ accounts: readonly StandardAccount[] }> }
  [DISCONNECT]?: { disconnect(): Promise<void> }
  [EVENTS]?: { on(event: 'change', listener: (changed: { accounts?: readonly StandardAccount[] }) => void): () => void }
  [SEND]?: {
    signAndSendTransaction(request: Request & { account: StandardAccount }): Promise<{ signature: Uint8Array }[]>
  }
  [SIGN_TEXT]?: {
    signMessage(given: { account: StandardAccount; message: Uint8Array }): Promise<{ signature: Uint8Array }[]>
  }
}

interface Request {
  transaction: Uint8Array
  chain: string
}

export function canSend({ features }: StandardWallet): boolean {
  return SEND in features && CONNECT in features
}

export function walletOf(standard: StandardWallet): Wallet {
  const id = `solana ${standard.name}`
  const features = standard.features as Features
  const shown = (accounts: readonly StandardAccount[]): Account[] =>
    accounts.map(({ address }) => ({ address, wallet: id }))
  const own = ({ address }: Account): StandardAccount => {
    const found = standard.accounts.find((account) => account.address === address)
    if (!found) throw new WalletProblem('wrong_account')
    return found
  }
  const signText = features[SIGN_TEXT]
  return {
    id,
    name: standard.name.slice(0, 40),
    icon: /^data:image\//.test(standard.icon) ? standard.icon : null,
    kind: 'injected',
    async connect() {
      const answer = await features[CONNECT]?.connect().catch(fail)
      const accounts = shown(answer?.accounts ?? [])
      if (accounts.length === 0) throw new WalletProblem('locked')
      return accounts
    },
    disconnect: async () => features[DISCONNECT]?.disconnect(),
    onChange: (listener) =>
      features[EVENTS]?.on('change', ({ accounts }) => accounts && listener(shown(accounts))) ?? (() => undefined),
    // A transaction contains a recent blockhash, so a wallet on another network rejects it. The wallet does not report
    // its network, unless it supports only one.
    network: async () => (standard.chains.length === 1 ? clusterOf(standard.chains[0] ?? '') : null),
    async steps(action) {
      const chain = chainOf(action)
      if (!standard.chains.some((known) => known === chain)) throw new WalletProblem('wrong_network')
      return [{ kind: 'deposit', request: { transaction: bytesOf(action), chain } satisfies Request }]
    },
    async send({ request }, account) {
      const answer = await features[SEND]
        ?.signAndSendTransaction({ ...(request as Request), account: own(account) })
        .catch(fail)
      const signature = answer?.[0]?.signature
      if (!signature) throw new WalletProblem('no_answer')
      return { hash: toBase58(signature) }
    },
    ...(signText && {
      async signText(text: string, account: Account) {
        const [signed] = await signText
          .signMessage({ account: own(account), message: new TextEncoder().encode(text) })
          .catch(fail)
        if (!signed) throw new WalletProblem('rejected')
        return toBase58(signed.signature)
      },
    }),
  }
}

function bytesOf({ call_data: data }: WalletAction): Uint8Array {
  if (data === null) throw new WalletProblem('unsupported')
  return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
}

/** The short name: `mainnet` for `solana:mainnet`. */
function clusterOf(chain: string): string {
  return chain.slice(chain.indexOf(':') + 1)
}

function chainOf({ network }: WalletAction): string {
  const cluster = /(devnet|testnet)/i.exec(network.name)?.[1]?.toLowerCase() ?? 'mainnet'
  return `solana:${cluster}`
}

function fail(error: unknown): never {
  if (error instanceof WalletProblem) throw error
  throw new WalletProblem(problemOf(error), error)
}

function problemOf(error: unknown): WalletProblemCode {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (code === 4001 || /reject|denied|cancel/i.test(message)) return 'rejected'
  if (/insufficient|debit/i.test(message)) return 'funds'
  return 'failed'
}

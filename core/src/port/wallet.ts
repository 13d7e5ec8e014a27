/**
 * The port of wallets: what a family's `wallet` package gives to the pages, so that these can find wallets, read addresses
 * and send deposits without knowing the family. Browser only; types and one error, importing nothing.
 */

/** A network, as the API describes it. */
export interface WalletNetwork {
  name: string
  display_name: string
  chain_id: string | null
  nodes: readonly string[]
  token: WalletToken
  transaction_explorer_template: string
}

export interface WalletToken {
  symbol: string
  contract: string | null
  decimals: number
}

/** A deposit action, as the API describes it. The pages pass on only what the service signed. */
export interface WalletAction {
  type: string
  to_address: string
  amount_in_base_units: string
  call_data: string | null
  network: WalletNetwork
  token: WalletToken
  gas_limit: string | null
  encoded_args: readonly string[]
}

export interface Account {
  address: string
  wallet: string
}

/** `ok`: it is an address. The others say what is wrong with the text, for the user. */
export type AddressVerdict =
  | {
      state: 'ok'
      address: string
      /** The amount of a payment link, in whole tokens. */
      amount: string | null
      /** Of which token that is; the network's own where absent. */
      contract?: string
      fromLink: boolean
    }
  /** A payment link for another network. */
  | { state: 'other_network' }
  | { state: 'checksum' }
  | { state: 'not_one' }

export interface Step {
  kind: 'approve' | 'deposit'
  /** Whole transaction in the wallet's own words; only the family reads it. */
  request: unknown
}

export type Stop = () => void

export interface Wallet {
  id: string
  name: string
  /** A data: picture, or none. */
  icon: string | null
  kind: 'injected' | 'remote' | 'sandbox'
  /** It has another account on each network of the family, and must be connected for each. */
  isPerNetwork?: true
  /** False if it only shows and proves addresses. */
  sends?: false
  /** `network`: the one to be used first. Some wallets keep an account for each. */
  connect(signal: AbortSignal, network: WalletNetwork): Promise<Account[]>
  disconnect(): Promise<void>
  onChange(listener: (accounts: Account[]) => void): Stop
  /** The chain id or name that the wallet is on; null if it has none, or does not say. */
  network(): Promise<string | null>
  /** The usual name of a network that the service may not list; null if unknown. */
  nameOf?(network: string): string | null
  /** Absent if only the user can change it, in the wallet. */
  switchTo?(network: WalletNetwork): Promise<void>
  steps(action: WalletAction, account: Account): Promise<Step[]>
  /** Null if the wallet does not say: the chain is read instead. */
  send(step: Step, account: Account): Promise<{ hash: string | null }>
  /** For deposits without gas and for refund addresses; absent if the wallet does not support it. */
  signTypedData?(data: Record<string, unknown>, account: Account): Promise<string>
  signText?(text: string, account: Account): Promise<string>
}

export interface WalletFamily {
  /** Absent if no browser wallet makes deposits of this family. */
  discover?(found: (wallets: Wallet[]) => void): Stop
  readAddress(text: string, network: WalletNetwork): AddressVerdict
  /** The link that a wallet's camera reads: address and amount. */
  paymentLink(action: WalletAction): string
}

export type WalletProblemCode =
  | 'rejected'
  | 'locked'
  | 'busy'
  | 'wrong_network'
  | 'wrong_account'
  | 'funds'
  | 'gas'
  | 'unsupported'
  /** It may have been sent. */
  | 'no_answer'
  | 'failed'

/** A problem with a wallet, by a code that the pages have a text for. */
export class WalletProblem extends Error {
  override name = 'WalletProblem'
  readonly code: WalletProblemCode
  constructor(code: WalletProblemCode, cause?: unknown) {
    super(code, { cause })
    this.code = code
  }
}

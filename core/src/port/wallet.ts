/**
 * The wallet port: a family's `wallet` package lets the pages find wallets, read addresses and send deposits without
 * knowing the family. For browsers only: types and one error, without imports.
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

/** The result of parsing an address. `ok`: the text is an address. The other values tell the user what is wrong. */
export type AddressVerdict =
  | {
      state: 'ok'
      address: string
      /** The amount of a payment link, in whole tokens. */
      amount: string | null
      /** The token of the amount; the network's native token if absent. */
      contract?: string
      fromLink: boolean
    }
  /** The payment link is for another network. */
  | { state: 'other_network' }
  | { state: 'checksum' }
  | { state: 'not_one' }

export interface Step {
  kind: 'approve' | 'deposit'
  /** The whole transaction in the wallet's own format; only the family reads it. */
  request: unknown
}

export type Stop = () => void

export interface Wallet {
  id: string
  name: string
  /** The wallet's icon as a data: URL, or null. */
  icon: string | null
  kind: 'injected' | 'remote' | 'sandbox'
  /** The wallet has a different account on each network of the family and must be connected for each. */
  isPerNetwork?: true
  /** False if the wallet only shows and proves addresses and cannot send. */
  sends?: false
  /** `network`: the network to use first, since some wallets have one account per network. */
  connect(signal: AbortSignal, network: WalletNetwork): Promise<Account[]>
  disconnect(): Promise<void>
  onChange(listener: (accounts: Account[]) => void): Stop
  /** The chain id or name of the wallet's current network; null if it has none or does not tell. */
  network(): Promise<string | null>
  /** The usual name of a network that the service may not list; null if unknown. */
  nameOf?(network: string): string | null
  /** Absent if only the user can switch the network, in the wallet. */
  switchTo?(network: WalletNetwork): Promise<void>
  steps(action: WalletAction, account: Account): Promise<Step[]>
  /** The hash is null if the wallet does not report it. */
  send(step: Step, account: Account): Promise<{ hash: string | null }>
  /** Signs texts for gasless deposits and refund addresses; absent if the wallet cannot. */
  signTypedData?(data: Record<string, unknown>, account: Account): Promise<string>
  signText?(text: string, account: Account): Promise<string>
}

export interface WalletFamily {
  /** Finds the wallets in the browser. Absent if no browser wallet makes deposits of this family. */
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
  /** The wallet did not answer: the transaction may have been sent. */
  | 'no_answer'
  | 'failed'

/** A problem with a wallet. The pages have a text for each code. */
export class WalletProblem extends Error {
  override name = 'WalletProblem'
  readonly code: WalletProblemCode
  constructor(code: WalletProblemCode, cause?: unknown) {
    super(code, { cause })
    this.code = code
  }
}

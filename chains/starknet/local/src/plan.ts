/** The plan of a local chain: plain data, since it goes to another process. Numbers are hex texts. */
export interface ChainPlan {
  network: string
  chainId: string
  /** The contract of the token that pays fees. */
  feeToken: string
  tokens: readonly { contract: string; layout: Layout }[]
  watchdog: string | null
  /**
   * The treasury's address. It is deployed from the start; its key is learned from its first signature, since the
   * address is a hash of the key.
   */
  treasury: string | null
  /** How an account's address is derived from its key. */
  accounts: AccountRule
  people: readonly { address: string; publicKey: string }[]
  /** Base units of each token, in the order of `tokens`, that every account starts with. */
  riches: readonly string[]
  finalDepth: number
  blockMs: number
  prices: Prices
  gas: GasRule
  /** Additional data of another kind of chain. */
  more?: Record<string, string>
}

/** The layout of a token's event: in keys and data, or all of it in the data. */
export type Layout = 'new' | 'old'

export interface AccountRule {
  classHash: string
  /** The constructor's arguments, with `key` at the position of the public key. */
  constructorCalldata: readonly string[]
}

/** The gas of a signature check and of every call. */
export interface GasRule {
  validate: number
  call: number
}

/** The price of one unit of gas, in base units of the fee token. */
export interface Prices {
  l1Gas: string
  l1DataGas: string
  l2Gas: string
}

/** What a local chain is made of: plain data, since it travels to another process. Numbers are hex texts. */
export interface ChainPlan {
  network: string
  chainId: string
  /** Pays fees. */
  feeToken: string
  tokens: readonly { contract: string; layout: Layout }[]
  watchdog: string | null
  /** Stands there deployed; its key is learned from its first signature, since the address is a hash of it. */
  treasury: string | null
  /** How an account's address follows from its key. */
  accounts: AccountRule
  people: readonly { address: string; publicKey: string }[]
  /** Base units of each token, in the order of `tokens`, that everybody starts with. */
  riches: readonly string[]
  finalDepth: number
  blockMs: number
  prices: Prices
  gas: GasRule
  /** Whatever another kind of chain needs besides. */
  more?: Record<string, string>
}

/** Where a token's event says who and how much: in keys and data, or all of it in the data. */
export type Layout = 'new' | 'old'

export interface AccountRule {
  classHash: string
  /** The constructor's arguments, with `key` where the public key stands. */
  constructorCalldata: readonly string[]
}

/** What the check of a signature takes, and every call. */
export interface GasRule {
  validate: number
  call: number
}

/** Of one unit of gas, in base units of the fee token. */
export interface Prices {
  l1Gas: string
  l1DataGas: string
  l2Gas: string
}

/** How accounts and transactions are named, whatever the chain. Stands apart because networks, money and the port all need it. */

/** Canonical text of an address: equal addresses are equal strings. */
export type Address = string
export type TxHash = string

/**
 * Address and transaction hash types, the same for every chain. A separate file because networks, amounts and the port
 * all import it.
 */

/** Canonical form: two spellings of one address give the same string. */
export type Address = string
export type TxHash = string

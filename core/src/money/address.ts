/**
 * Address and transaction hash types, the same for every chain. A separate file because networks, amounts and the port
 * all import it.
 */

/** An address in canonical form: all spellings of one address become the same string. */
export type Address = string
export type TxHash = string

/** The sandbox's mnemonic. The service knows it so that it can refuse to use it with real money. */

/**
 * The mnemonic of the sandbox's treasury. It is public and WORTHLESS: anyone can take money sent to its addresses on a
 * public chain. The test accounts use a different mnemonic, so that the two never mix.
 */
export const SANDBOX_MNEMONIC = 'educate insane cup close joy gesture flight hole uncover search disorder vocal'

/** The phrase of the sandbox, known to the service so that it can refuse to keep real money behind it. */

/**
 * The phrase of the sandbox's treasury. It is public, written in this file, and WORTHLESS: anyone can take money sent
 * to its addresses on a public chain. It is not the phrase of the test accounts, so that the two never mix.
 */
export const SANDBOX_MNEMONIC = 'educate insane cup close joy gesture flight hole uncover search disorder vocal'

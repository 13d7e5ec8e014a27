/** The phrase of the sandbox, known to the service so that it can refuse to keep real money behind it. */

/**
 * The phrase behind the sandbox's treasury. It is public, stands in this file, and is WORTHLESS: money sent to one of its
 * addresses on a public chain is anybody's. It is not the phrase of the test accounts, so that the two never mix.
 */
export const SANDBOX_MNEMONIC = 'educate insane cup close joy gesture flight hole uncover search disorder vocal'

/**
 * The watchdog contract of the local chains: four instructions, written from the specification. Load the pointer to the
 * arguments from the call frame, take eight bytes, log them, return nothing. contracts/fuel has the equivalent source.
 */
export const WATCHDOG_CODE = '0x5d40604a724400083400041125400000'

/** The contract's id, without a salt and without stored values. */
export const WATCHDOG_ID = '0x7268548cfc10e7b68ca3b1dbdc78c8276bfa9fa20fbc8c4a7a73a430fe174080'

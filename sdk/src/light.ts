/** The client for pages: everything that needs no schema. Importing it does not load zod. */
export { refundAddressText, TERMINAL_STATUSES } from '@causeway/core/vocabulary'
export { type CausewayClient, createClient } from './client/client.ts'
export { AmountLimitError, CausewayError, NoAnswerError, RequestError, VerificationError } from './client/errors.ts'
export { verifyQuote } from './client/verify-quote.ts'
export { plainNumber } from './decimal.ts'
export type * from './types.ts'
export { quoteStatement } from './wire/statement.ts'

/**
 * The entry of the published package `@causeway/sdk`: the client, and the types of requests and responses without zod.
 * The schemas are in `@causeway/sdk/wire`. The service itself imports `index.ts`, which has both.
 */
export { refundAddressText } from '@causeway/core/vocabulary'
export * from './canonical.ts'
export * from './client/client.ts'
export * from './client/errors.ts'
export type { ClientOptions } from './client/http.ts'
export type * from './client/requests.ts'
export { verifyQuote } from './client/verify-quote.ts'
export { verifyWebhook, type Webhook, type WebhookRequest } from './client/verify-webhook.ts'
export { isTerminal, type WaitOptions, type WatchOptions } from './client/watch.ts'
export * from './decimal.ts'
export type * from './types.ts'
export { quoteStatement, type SignedParts } from './wire/statement.ts'

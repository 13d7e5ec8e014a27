/**
 * The API's schemas: the single declaration of every resource and request. The server validates with them; clients get
 * their types from them.
 */
export * from './wire/analytics.ts'
export * from './wire/app.ts'
export * from './wire/authorize.ts'
export * from './wire/campaign.ts'
export * from './wire/deposit-action.ts'
export * from './wire/detailed-quote.ts'
export * from './wire/envelope.ts'
export * from './wire/funding.ts'
export * from './wire/network.ts'
export * from './wire/pages.ts'
export * from './wire/quote.ts'
export * from './wire/reach.ts'
export * from './wire/refund-address.ts'
export * from './wire/signature.ts'
export * from './wire/statement.ts'
export * from './wire/swap.ts'
export * from './wire/swap-list.ts'
export * from './wire/transaction-status.ts'
export * from './wire/webhook.ts'

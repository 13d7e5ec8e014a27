/** The API's shape: the single declaration of every resource and request. The server validates with it; clients type with it. */
export * from './wire/deposit-action.ts'
export * from './wire/envelope.ts'
export * from './wire/network.ts'
export * from './wire/quote.ts'
export * from './wire/swap.ts'

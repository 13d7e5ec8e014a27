/** What the service and its clients share: the shape of every request and answer. */
export * from './canonical.ts'
export * from './decimal.ts'
export * from './wire.ts'

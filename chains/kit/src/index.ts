/**
 * Building blocks that every family shares: HTTP and JSON-RPC calls, failover, quorum reads, rate limits, bounded
 * caches, addresses.
 */

export * from './bounded.ts'
export * from './evm-address.ts'
export * from './node/calls.ts'
export * from './node/decode.ts'
export * from './node/json-rpc.ts'
export * from './node/parallel-node.ts'
export * from './node/rest.ts'
export * from './node/semaphore.ts'
export * from './node/single-flight.ts'
export * from './node/token-bucket.ts'
export * from './pool/head-quorum.ts'
export * from './pool/nodes.ts'
export * from './pool/open-base.ts'
export * from './pool/provider.ts'
export * from './pool/quorum-read.ts'
export * from './price-history.ts'
export * from './scanning/adaptive-batch.ts'
export * from './scanning/agreed-scan.ts'
export * from './scanning/balance-changes.ts'
export * from './scanning/first-block-where.ts'
export * from './scanning/header-window.ts'
export * from './scanning/treasuries.ts'
export * from './source-key.ts'
export * from './transfer-action.ts'

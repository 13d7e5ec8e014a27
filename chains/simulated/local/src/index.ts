/** Exports for the sandbox and for tests: in-memory chains that fail on demand, and the family that runs on them. */

export { family } from '@causeway/simulated'
export { contractAddress } from '../../src/address.ts'
export { createSimulatedChain, type SimulatedChain } from './blockchain.ts'
export { devnet } from './devnet.ts'
export { simulatedNetwork } from './network.ts'
export { type CallName, type Faults, type Hooks, openNode, type SimulatedNode } from './node.ts'
export { findChain, registerChain } from './registry.ts'

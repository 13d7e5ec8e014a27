/** What the sandbox and tests take from here: chains in memory that fail on demand, and the family that is opened on them. */

export { family } from '@causeway/simulated'
export { contractAddress } from '../../src/address.ts'
export { createSimulatedChain, type SimulatedChain } from './blockchain.ts'
export { devnet } from './devnet.ts'
export { simulatedNetwork } from './network.ts'
export { type CallName, type Faults, type Hooks, openNode, type SimulatedNode } from './node.ts'
export { findChain, registerChain } from './registry.ts'

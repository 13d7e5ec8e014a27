/** The simulated family's chains for the sandbox and for tests, in memory and failing on demand: where the rest is reached. */

export { family } from '@causeway/simulated'
export { contractAddress } from '../../src/address.ts'
export { accountFrom, signedBy } from './account.ts'
export { createSimulatedChain, type SimulatedChain } from './blockchain.ts'
export { devnet } from './devnet.ts'
export { simulatedNetwork } from './network.ts'
export { type CallName, type Faults, type Hooks, openNode, type SimulatedNode } from './node.ts'
export { findChain, registerChain } from './registry.ts'

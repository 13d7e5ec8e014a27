/**
 * Local Starknet chains for the sandbox, the demo and the tests: a double in a child process, not the real software.
 */
import type { DevnetFamily } from '@causeway/core'
import { starknet } from '../../src/starknet.ts'
import { startLocal } from './start-chains.ts'

/** The real chain's minimum price, and the cost of data and L1 on a quiet day. */
const PRICES = { l1Gas: '60000000000000', l1DataGas: '20000000000', l2Gas: '8000000000' }

/** Gas values, close to the real ones. */
const GAS = { validate: 300_000, call: 500_000 }
/** The watchdog's address if a network's file names none yet. */
const WATCHDOG = '0x0567890abcdef0123456789abcdef0123456789abcdef0123456789abcdef012'

export const devnet: DevnetFamily = {
  type: 'starknet',
  standIn: (settings) => ({ ...settings, watchdog: settings.watchdog ?? WATCHDOG }),
  start: ({ networks, treasuries }) =>
    startLocal({
      kind: starknet,
      engine: 'a double of a Starknet node (hashes, signatures and mempool rules checked, contracts played)',
      file: new URL('./process.ts', import.meta.url),
      networks,
      treasuries,
      prices: PRICES,
      gas: GAS,
      riches: 100_000n,
    }),
}

export type { LocalChain } from './chain.ts'
export { balanceCell, type Contract, hex, named, Revert } from './contracts.ts'
export type { ChainPlan } from './plan.ts'
export { openLocal, type Veil } from './rpc-server.ts'
export { startLocal } from './start-chains.ts'

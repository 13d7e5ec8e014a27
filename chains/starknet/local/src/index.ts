/** Local chains that play Starknet for the sandbox, the demo and the tests: a double in a child process, not its software. */
import type { DevnetFamily } from '@causeway/core'
import { starknet } from '../../src/starknet.ts'
import { startLocal } from './starting.ts'

/** The floor of the real chain, and what data and the layer below cost on a quiet day. */
const PRICES = { l1Gas: '60000000000000', l1DataGas: '20000000000', l2Gas: '8000000000' }

/** Where a file names none yet. */
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
    }),
}

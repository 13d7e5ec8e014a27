/** The same conformance suite when a whole block is read only if its events name us, as on Celestia. */
import { family } from '@causeway/cosmos'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testbed.ts'

const settings = { prefix: 'celestia', denom: 'utia', check_data_hash: false, scan: 'events' }

conformanceSuite('cosmos by events', {
  family,
  devnet,
  network: testNetwork({ name: 'CELESTIA_TESTNET', chainId: 'mocha-4' }, settings),
  addressForms: ['bech32'],
  capabilities: ['blockTimes', 'references', 'depositAddresses', 'batch', 'ordering', 'audit', 'messages'],
  noReorgs: 'CometBFT blocks are final',
})

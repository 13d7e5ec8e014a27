/**
 * The Cosmos family passes the conformance suite on its local chain, whose blocks are final as soon as they are there.
 */
import { family } from '@causeway/cosmos'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testbed.ts'

conformanceSuite('cosmos', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['bech32'],
  capabilities: ['blockTimes', 'references', 'depositAddresses', 'batch', 'ordering', 'audit', 'messages'],
  noReorgs: 'CometBFT blocks are final',
})

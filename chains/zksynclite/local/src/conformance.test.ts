/** The ZKsync Lite family passes the conformance suite on a double of its server. */

import { family } from '@causeway/zksynclite'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('zksynclite', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['hex20'],
  capabilities: ['blockTimes', 'references', 'ordering', 'audit', 'allowances', 'messages'],
  noReorgs: 'the operator takes no block back',
  // An amount is 35 bits times a power of ten.
  unitStep: () => 10n ** 8n,
})

/**
 * The TON family passes the conformance suite on a local chain with TON's own virtual machine, or on the node at
 * `TON_RPC_URL`.
 */

import { family } from '@causeway/ton'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { chainFor } from '../../../../tests/support/conformance/external-node.ts'
import { openElsewhere } from './external-node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

const noReorgs = 'a masterchain block is final'

conformanceSuite('ton', {
  family,
  ...(await chainFor('TON', { devnet, network: testNetwork(), noReorgs }, openElsewhere)),
  addressForms: ['base64crc'],
  capabilities: ['blockTimes', 'references', 'batch', 'audit', 'lateTransactions', 'allowances'],
  seesOthers: false,
  rentUnits: 100n,
})

/**
 * The Bitcoin family passes the conformance suite on a local node with real consensus rules, or on the one at
 * `BITCOIN_RPC_URL`.
 */

import { family } from '@causeway/bitcoin'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { chainFor } from '../../../../tests/support/conformance/external-node.ts'
import { openElsewhere } from './external-node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('bitcoin', {
  family,
  ...(await chainFor('BITCOIN', { devnet, network: testNetwork() }, openElsewhere)),
  addressForms: ['segwit', 'base58check00'],
  capabilities: ['blockTimes', 'references', 'depositAddresses', 'batch', 'audit', 'lateTransactions', 'messages'],
})

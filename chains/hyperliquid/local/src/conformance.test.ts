/** The Hyperliquid family passes the conformance suite on a double of the network's ledger. */
import { family } from '@causeway/hyperliquid'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('hyperliquid', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['hex20'],
  capabilities: ['blockTimes', 'depositAddresses', 'audit', 'lateTransactions', 'messages'],
  noReorgs: 'a block of the network is final',
  seesOthers: false,
})

/** The StarkEx family passes the conformance suite on a double of an operator. */

import { family } from '@causeway/starkex'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('starkex', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['hex20'],
  capabilities: ['blockTimes', 'references', 'recipientGas', 'audit', 'lateTransactions', 'messages'],
  // The ledger counts in quanta.
  unitStep: ({ contract }) => (contract === null ? 10n ** 8n : 1n),
  noFees: 'the operator takes none',
})

/** The Fuel family passes the conformance suite on its local chain. */

import { family } from '@causeway/fuel'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('fuel', {
  family,
  devnet,
  network: testNetwork(),
  // Starknet's addresses have the same form.
  addressForms: ['hex32'],
  capabilities: [
    'blockTimes',
    'references',
    'setup',
    'depositAddresses',
    'batch',
    'slotExpiry',
    'audit',
    'lateTransactions',
    'messages',
    'accounts',
    'walletContracts',
  ],
})

/** The Fuel family keeps the port's promises on its local chain. */

import { family } from '@causeway/fuel'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('fuel', {
  family,
  devnet,
  network: testNetwork(),
  // The form of Starknet's addresses is just the same.
  addressForms: ['hex32'],
  capabilities: [
    'blockTimes',
    'references',
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

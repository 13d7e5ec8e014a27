/** The Tron family passes the conformance suite on a local chain: a double of java-tron. */
import { family } from '@causeway/tron'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('tron', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['base58check41'],
  capabilities: [
    'blockTimes',
    'references',
    'depositAddresses',
    'depository',
    'contractSurvey',
    'audit',
    'lateTransactions',
    'messages',
    'accounts',
  ],
  noReplacement: 'a slot is the transaction itself',
})

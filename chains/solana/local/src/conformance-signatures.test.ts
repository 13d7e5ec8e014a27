/** Conformance of the Solana family when it scans signatures instead of blocks. */

import { family } from '@causeway/solana'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { chainFor } from '../../../../tests/support/conformance/external-node.ts'
import { openElsewhere } from './external-node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testbed.ts'

conformanceSuite('solana by signatures', {
  family,
  ...(await chainFor('SOLANA', { devnet, network: testNetwork({ settings: { scan: 'signatures' } }) }, openElsewhere)),
  addressForms: ['base58'],
  closesAccounts: 'a token account that is not empty cannot be closed',
  capabilities: [
    'blockTimes',
    'references',
    'depositAddresses',
    'setup',
    'batch',
    'audit',
    'lateTransactions',
    'messages',
  ],
})

/** The Solana family passes the conformance suite on its local chain, or on the node at `SOLANA_RPC_URL`. */

import { family } from '@causeway/solana'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { chainFor } from '../../../../tests/support/conformance/external-node.ts'
import { openElsewhere } from './external-node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testbed.ts'

conformanceSuite('solana', {
  family,
  ...(await chainFor('SOLANA', { devnet, network: testNetwork() }, openElsewhere)),
  addressForms: ['base58'],
  closesAccounts: 'a token account that is not empty cannot be closed',
  capabilities: [
    'blockTimes',
    'references',
    'setup',
    'depositAddresses',
    'batch',
    'audit',
    'lateTransactions',
    'messages',
  ],
})

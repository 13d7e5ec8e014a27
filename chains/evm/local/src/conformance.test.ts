/** The EVM family passes the conformance suite on its local chain, or on the node at `EVM_RPC_URL`. */

import { family } from '@causeway/evm'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { chainFor } from '../../../../tests/support/conformance/external-node.ts'
import { openElsewhere } from './external-node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testbed.ts'

conformanceSuite('evm', {
  family,
  ...(await chainFor('EVM', { devnet, network: testNetwork() }, openElsewhere)),
  addressForms: ['hex20'],
  capabilities: [
    'blockTimes',
    'references',
    'depositAddresses',
    'depository',
    'gasless',
    'contractSurvey',
    'ordering',
    'recipientGas',
    'exchanges',
    'audit',
    'messages',
    'accounts',
    'nfts',
    'tokenContracts',
    'walletContracts',
  ],
})

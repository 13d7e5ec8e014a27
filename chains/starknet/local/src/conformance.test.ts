/** The Starknet family passes the conformance suite on its local chain. */
import { family } from '@causeway/starknet'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('starknet', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['hex32'],
  capabilities: ['blockTimes', 'references', 'setup', 'batch', 'ordering', 'audit', 'messages', 'walletContracts'],
})

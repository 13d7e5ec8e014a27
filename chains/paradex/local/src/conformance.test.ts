/** The Paradex family passes the conformance suite on its local chain, paying into trading balances. */
import { family } from '@causeway/paradex'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

conformanceSuite('paradex', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['hex32'],
  capabilities: ['blockTimes', 'references', 'setup', 'batch', 'ordering', 'audit', 'messages', 'walletContracts'],
  hidesOthers: 'its nodes mask what is not the asker’s own',
})

/** The EVM family keeps the port's promises on its local chain. */
import { conformanceSuite } from '../../../tests/support/conformance.ts'
import { devnet } from './devnet.ts'
import { family } from './index.ts'
import { testNetwork } from './testing.ts'

conformanceSuite('evm', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['hex20'],
  depositAddresses: true,
})

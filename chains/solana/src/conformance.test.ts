/** The Solana family keeps the port's promises on its local chain. */
import { conformanceSuite } from '../../../tests/support/conformance.ts'
import { devnet } from './devnet.ts'
import { family } from './index.ts'
import { testNetwork } from './testing.ts'

conformanceSuite('solana', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['base58'],
  depositAddresses: true,
})

/** The Bitcoin family keeps the port's promises on a local node with real consensus rules. */
import { conformanceSuite } from '../../../tests/support/conformance.ts'
import { devnet } from './devnet.ts'
import { family } from './index.ts'
import { testNetwork } from './testnetwork.ts'

conformanceSuite('bitcoin', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['segwit', 'base58check00'],
  depositAddresses: true,
})

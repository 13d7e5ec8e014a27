/** The TON family keeps the port's promises on a local chain with TON's own virtual machine. */
import { conformanceSuite } from '../../../tests/support/conformance.ts'
import { devnet } from './devnet.ts'
import { family } from './index.ts'
import { testNetwork } from './testnetwork.ts'

conformanceSuite('ton', {
  family,
  devnet,
  network: testNetwork(),
  addressForms: ['base64crc'],
  depositAddresses: false,
  reorgs: false,
  seesOthers: false,
  rentUnits: 100n,
})

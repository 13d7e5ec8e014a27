/** The EVM family keeps the port's promises on its local chain, or on the node at `EVM_RPC_URL`. */
import { conformanceSuite } from '../../../tests/support/conformance.ts'
import { chainFor } from '../../../tests/support/conformance-elsewhere.ts'
import { devnet } from './devnet.ts'
import { openElsewhere } from './elsewhere.ts'
import { family } from './index.ts'
import { testNetwork } from './testing.ts'

conformanceSuite('evm', {
  family,
  ...(await chainFor('EVM', { devnet, network: testNetwork() }, openElsewhere)),
  addressForms: ['hex20'],
  depositAddresses: true,
})

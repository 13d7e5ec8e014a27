/**
 * The simulated family passes the conformance suite, with deposits sighted in blocks only and also from the mempool.
 */

import { family } from '@causeway/simulated'
import { conformanceSuite } from '../../../../tests/support/conformance/conformance.ts'
import { devnet } from './devnet.ts'
import { simulatedNetwork } from './network.ts'

for (const watchesMempool of [false, true]) {
  conformanceSuite(watchesMempool ? 'simulated, watching the mempool' : 'simulated', {
    family,
    devnet,
    network: simulatedNetwork('SIMULATED_TEST', { watches_mempool: watchesMempool }),
    addressForms: [],
    capabilities: ['references', 'depositAddresses', 'ordering', 'audit', 'messages', 'nfts'],
  })
}

/** The process behind `index.ts`: the local chains of the family over HTTP JSON-RPC. */
import { serveChains } from '@causeway/devnet/kit'
import { type ChainPlan, openLocal } from '@causeway/starknet-local'
import { veilOf } from './masked-reads.ts'
import { openParaclear } from './paraclear.ts'

serveChains(async (plan: ChainPlan) => {
  const market = { isLocked: false, loss: 0n }
  return openLocal(plan, {
    prepare: (chain) => openParaclear(chain, market),
    controls: () => ({
      devnet_lockdown: ({ locked }) => {
        market.isLocked = locked === true
      },
      /** Sets the part of a withdrawal that the exchange keeps to cover losses, in ten-thousandths. */
      devnet_loss: ({ loss }) => {
        market.loss = BigInt(Number(loss))
      },
    }),
    veil: veilOf,
  })
})

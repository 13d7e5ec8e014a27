/** The output of a mined exchange: the sum of the bought token's transfers to its recipient, by the receipts of a quorum. */
import { type Exchange, isAggregated, parseRoute, RetryLater, type TxHash } from '@causeway/core'
import { fromTopic } from '../address.ts'
import type { EvmChain } from '../chain.ts'
import { receipt } from '../node/calls.ts'
import { assertCanonical } from '../scanning/inspect.ts'
import { TRANSFER_TOPIC } from '../scanning/transfers.ts'

export function received(chain: EvmChain, hash: TxHash, { buys, to, route: text }: Exchange): Promise<bigint> {
  const token = buys.contract?.toLowerCase()
  const route = parseRoute(text)
  // Behind an aggregator's router runs code of strangers. It may sweep deposit addresses to our wallet, and that money is
  // in the books already. The output itself comes from the router.
  const payer = isAggregated(route) ? route.router.toLowerCase() : null
  return chain.rpc
    .agreed(
      async (node) => {
        const [proof] = await node.ask([receipt(hash)])
        if (!proof?.success) throw new RetryLater('the node has no receipt of a successful exchange')
        await assertCanonical(node, proof)
        const units = proof.logs
          .filter(({ address, topics: [topic, sender = '', receiver = ''] }) => {
            if (address.toLowerCase() !== token || topic !== TRANSFER_TOPIC || fromTopic(receiver) !== to) return false
            return payer === null || fromTopic(sender).toLowerCase() === payer
          })
          .reduce((sum, { data }) => sum + BigInt(data), 0n)
        return { units, block: proof.block.hash }
      },
      ({ units, block }) => `${block} ${units}`,
    )
    .then(({ units }) => units)
}

/** Amounts of a mined sweep by address: the factory's events, by the receipts of a quorum. */
import { RetryLater, type SignedTransfer, type SweptAmount, type Token } from '@causeway/core'
import { type Hex, parseTransaction, zeroAddress } from 'viem'
import { fromTopic } from '../address.ts'
import type { EvmChain } from '../chain.ts'
import { addressOfSalt, SWEPT_TOPIC } from '../depositing/forwarder.ts'
import { type Log, receipt } from '../node/calls.ts'
import { assertCanonical } from '../scanning/inspect.ts'

export function sweptBy(chain: EvmChain, { hash, bytes }: SignedTransfer, token: Token): Promise<SweptAmount[]> {
  // The factory that was called: it was another one if the hot wallet changed since.
  const factory = parseTransaction(bytes as Hex).to?.toLowerCase()
  const contract = (token.contract ?? zeroAddress).toLowerCase()
  const isOurs = ({ address, topics: [topic, , swept = ''] }: Log) =>
    address === factory && topic === SWEPT_TOPIC && fromTopic(swept).toLowerCase() === contract
  return chain.rpc
    .agreed(
      async (node) => {
        const [proof] = await node.ask([receipt(hash)])
        if (!proof?.success) throw new RetryLater('the node has no receipt of a successful sweep')
        await assertCanonical(node, proof)
        const moved = proof.logs.filter(isOurs).map(({ address, topics: [, salt = ''], data }) => {
          return { address: addressOfSalt(address, salt as Hex), amount: { token, units: BigInt(data) } }
        })
        return { moved, block: proof.block.hash }
      },
      ({ moved, block }) => [block, ...moved.map(({ address, amount }) => `${address} ${amount.units}`)].join(' '),
    )
    .then(({ moved }) => moved)
}

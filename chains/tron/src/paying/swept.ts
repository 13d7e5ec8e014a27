/**
 * Amounts of a mined sweep by address: the factory's events. The block proves the call, and a quorum of nodes
 * reports the events.
 */
import { RetryLater, type SignedTransfer, type SweptAmount, type Token } from '@causeway/core'
import { addressInWord, NATIVE_ADDRESS } from '../address.ts'
import { hexToBytes } from '../bytes.ts'
import type { TronChain } from '../chain.ts'
import { addressOfSalt, SWEPT_TOPIC } from '../depositing/forwarder.ts'
import type { Node } from '../node/node.ts'
import { landedOn } from '../scanning/locate-tx.ts'

export async function sweptBy(chain: TronChain, { hash }: SignedTransfer, token: Token): Promise<SweptAmount[]> {
  const { moved } = await chain.rpc.agreed(
    (node) => movedOn(chain, node, hash, token),
    ({ block, moved }) => [block, ...moved.map(({ address, amount }) => `${address} ${amount.units}`)].join(' '),
  )
  return moved
}

async function movedOn(chain: TronChain, node: Node, hash: string, token: Token) {
  const found = await landedOn(chain, node, hash)
  const contract = 'block' in found ? found.transaction.contract : null
  if (!('block' in found) || !found.transaction.isSuccess || contract?.kind !== 'call')
    throw new RetryLater('the node does not have the sweep in a block')
  const moved = found.receipt.logs.flatMap(({ address, topics: [topic, salt = '', swept = ''], data }) => {
    const isOurs = topic === SWEPT_TOPIC && addressInWord(address) === contract.contract
    if (!isOurs || addressInWord(swept) !== (token.contract ?? NATIVE_ADDRESS)) return []
    const from = addressOfSalt(contract.contract, hexToBytes(salt))
    return [{ address: from, amount: { token, units: BigInt(`0x${data}`) } }]
  })
  return { block: found.block.id, moved }
}

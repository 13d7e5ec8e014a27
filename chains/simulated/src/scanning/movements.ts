/** Movements of an account in a range of blocks, read from the blocks: on this chain they show every movement. */
import { type Address, type Amount, type Movement, type Network, RetryLater } from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import type { Block, Landed } from '../node/node.ts'

/** Blocks per request. */
const BATCH = 100

export async function movements(chain: OpenChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  const found: Movement[] = []
  let parent: string | null = null
  for (let next = from < 0n ? 0n : from; next <= to; ) {
    const { blocks } = await chain.node.blocks(next, Math.min(BATCH, Number(to - next) + 1))
    if (blocks.length === 0) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
    for (const block of blocks) {
      if (parent !== null && block.parent !== parent) throw new RetryLater('the chain changed while it was read')
      found.push(...movementsIn(chain.network, account, block))
      parent = block.hash
      next = block.number + 1n
    }
  }
  return found
}

function movementsIn(network: Network, account: Address, { number, hash, transactions }: Block): Movement[] {
  return transactions.flatMap(({ transaction, reverted }) => {
    const isOwn = transaction.account === account
    const changes = network.tokens.flatMap((token) => changesOf(account, { transaction, reverted }, token))
    if (!isOwn && changes.length === 0) return []
    const slot = isOwn ? [transaction.nonce.toString()] : null
    return [{ txHash: transaction.hash, block: { number, hash }, changes, slot }]
  })
}

function changesOf(account: Address, { transaction, reverted }: Landed, token: Amount['token']): Amount[] {
  const moves = reverted ? [] : transaction.moves.filter(({ contract }) => contract === token.contract)
  const fee = transaction.account === account && token.contract === null ? transaction.fee : 0n
  const sum = (side: 'from' | 'to') =>
    moves.reduce((units, move) => (move[side] === account ? units + move.units : units), 0n)
  return [
    { token, units: sum('to') },
    { token, units: -sum('from') - fee },
  ].filter(({ units }) => units !== 0n)
}

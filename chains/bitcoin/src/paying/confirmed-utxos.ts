/**
 * Confirmed UTXOs of addresses: ours from the stored set; those of others, or without a stored set, from the node,
 * which scans its whole UTXO set.
 */
import { type Address, type BlockRef, Bug, RetryLater } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { scanCoins } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Outpoint, outpointOf } from '../transaction.ts'

export interface OwnCoin extends Outpoint {
  owner: Address
  units: bigint
  height: number
  isCoinbase: boolean
}

const COINBASE_MATURITY = 100

/** UTXOs that are old enough to be spent, and their block. */
export async function confirmedCoins(
  chain: Pick<BitcoinChain, 'book' | 'treasury' | 'prefixes'>,
  node: Node,
  owners: readonly Address[],
): Promise<{ block: BlockRef; coins: OwnCoin[] }> {
  const { block, coins } = (await isKept(chain, owners))
    ? await coinsInBook(chain, owners)
    : await coinsOnNode(chain, node, owners)
  const head = Number(block.number)
  return { block, coins: coins.filter((coin) => !coin.isCoinbase || head - coin.height + 1 >= COINBASE_MATURITY) }
}

async function isKept({ book, treasury }: Pick<BitcoinChain, 'book' | 'treasury'>, owners: readonly Address[]) {
  if (!book) return false
  const others = owners.filter((owner) => owner !== treasury)
  return others.length === 0 || (await book.owned(others)).size === new Set(others).size
}

async function coinsInBook({ book }: Pick<BitcoinChain, 'book'>, owners: readonly Address[]) {
  const view = await book?.unspent(owners)
  if (!view) throw new RetryLater('our coins are not known yet: they are being read from the node')
  const coins = view.coins.map(({ part, owner, units, madeAt, isCoinbase }): OwnCoin => {
    const outpoint = outpointOf(part)
    if (!outpoint) throw new Bug('not a coin of this family', { part })
    return { ...outpoint, owner, units, height: Number(madeAt), isCoinbase }
  })
  return { block: view.block, coins }
}

async function coinsOnNode({ prefixes }: Pick<BitcoinChain, 'prefixes'>, node: Node, owners: readonly Address[]) {
  const [{ height, hash, coins }] = await inTurn(node, () => node.ask([scanCoins(owners)]))
  const owned = coins.flatMap(({ script, ...coin }): OwnCoin[] => {
    const owner = addressOf(Buffer.from(script, 'hex'), prefixes)
    return owner === null ? [] : [{ ...coin, owner }]
  })
  return { block: { number: BigInt(height), hash }, coins: owned }
}

const turns = new WeakMap<Node, Promise<unknown>>()

/** A node scans its UTXO set for one caller at a time, and refuses the others. */
function inTurn<T>(node: Node, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(node) ?? Promise.resolve()).then(work)
  turns.set(
    node,
    mine.catch(() => undefined),
  )
  return mine
}

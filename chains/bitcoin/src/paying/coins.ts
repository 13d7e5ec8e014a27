/**
 * Coins that can be spent now. For the treasury: confirmed ones that nothing in the mempool spends, and the change of our
 * own waiting transactions. Somebody else's unconfirmed payment is never among them.
 */
import { type Address, RetryLater } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { chainInfo, type ScannedCoin, scanCoins, spendersOf, transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { orNull } from '../scanning/locate.ts'
import type { Outpoint } from '../transaction.ts'

export interface Coin extends Outpoint {
  units: bigint
  isConfirmed: boolean
}

/** Nodes take chains of 25 waiting transactions; a long one also delays all that is built on it. */
const LONGEST_CHAIN = 10
/** Outpoints in one question. */
const BATCH = 500
/** A block may come between two answers; so many in a row means a node that is catching up. */
const TRIES = 3

/** What this address can spend, with its own unconfirmed change. */
export async function spendableCoins(chain: BitcoinChain, node: Node, address: Address): Promise<Coin[]> {
  for (let tried = 0; tried < TRIES; tried++) {
    const { hash, coins } =
      address === chain.treasury ? await chain.purse.coins(node) : (await node.ask([scanCoins([address])]))[0]
    const script = coins[0]?.script
    const spendable = script === undefined ? [] : await withOwnChange(node, coins, script)
    // Only where both views are of one moment: a coin may leave the mempool by being spent in a block.
    const [head] = await node.ask([chainInfo()])
    if (head.hash === hash) return spendable
  }
  throw new RetryLater('the chain changed while coins were read')
}

/** The confirmed coins of these addresses that nothing spends yet. */
export async function restingCoins(node: Node, addresses: readonly Address[]): Promise<ScannedCoin[]> {
  const [{ coins }] = await node.ask([scanCoins(addresses)])
  const spenders = await askSpenders(node, coins)
  return coins.filter((_, position) => spenders[position] === null)
}

/** Follows the spenders of our coins through the mempool: what spends a coin of ours was signed by us. */
async function withOwnChange(node: Node, confirmed: readonly ScannedCoin[], script: string): Promise<Coin[]> {
  const spendable: Coin[] = []
  const followed = new Set<string>()
  let level: Coin[] = confirmed.map(({ txid, vout, units }) => ({ txid, vout, units, isConfirmed: true }))
  for (let depth = 0; level.length > 0 && depth <= LONGEST_CHAIN; depth++) {
    const spenders = await askSpenders(node, level)
    spendable.push(...level.filter((_, position) => spenders[position] === null))
    const fresh = new Set(spenders.filter((txid) => txid !== null && !followed.has(txid)))
    level = []
    for (const txid of fresh) {
      if (txid === null) continue
      followed.add(txid)
      level.push(...(await changeOf(node, txid, script)))
    }
  }
  return spendable
}

async function changeOf(node: Node, txid: string, script: string): Promise<Coin[]> {
  const [answer] = await node.settle([transaction(txid)])
  const outputs = orNull(answer)?.outputs ?? []
  return outputs.flatMap((output, vout) =>
    Buffer.from(output.script).toString('hex') === script
      ? [{ txid, vout, units: output.units, isConfirmed: false }]
      : [],
  )
}

async function askSpenders(node: Node, outpoints: readonly Outpoint[]): Promise<(string | null)[]> {
  const spenders: (string | null)[] = []
  for (let start = 0; start < outpoints.length; start += BATCH) {
    spenders.push(...(await node.ask([spendersOf(outpoints.slice(start, start + BATCH))]))[0])
  }
  return spenders
}

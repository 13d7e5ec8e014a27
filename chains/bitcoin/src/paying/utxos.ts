/**
 * UTXOs that can be spent now. For the treasury: confirmed ones that no mempool transaction spends, and the change of
 * our own pending transactions. Unconfirmed payments of others are never included.
 */
import type { Address } from '@causeway/core'
import { scriptOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { chainInfo, spendersOf, transaction, unspentUnits } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { orNull, sumOf } from '../scanning/locate-tx.ts'
import { type Outpoint, partOf } from '../transaction.ts'
import { confirmedCoins, type OwnCoin } from './confirmed-utxos.ts'

export interface SpendableCoin extends Outpoint {
  units: bigint
  isConfirmed: boolean
}

export interface Waiting {
  txHash: string
  slot: string[]
}

/** Limit of our chains of pending transactions. Nodes accept 25, and a long chain delays everything built on it. */
const LONGEST_CHAIN = 10
/** Outpoints per request. */
const BATCH = 500

/** The spendable UTXOs of this address, with its own unconfirmed change. The node confirms that each is unspent. */
export async function spendableCoins(chain: BitcoinChain, node: Node, address: Address): Promise<SpendableCoin[]> {
  const { coins } = await confirmedCoins(chain, node, [address])
  return stillThere(node, await withOwnChange(chain, node, coins, address))
}

/** The spendable amount. If the node is at the block of the stored UTXO set, UTXOs need not be checked one by one. */
export async function spendableUnits(chain: BitcoinChain, node: Node, address: Address): Promise<bigint> {
  const { block, coins } = await confirmedCoins(chain, node, [address])
  const spendable = await withOwnChange(chain, node, coins, address)
  const [head] = await node.ask([chainInfo()])
  return sumOf(head.hash === block.hash ? spendable : await stillThere(node, spendable))
}

/** Pending transactions that spend UTXOs of this address, directly or through pending change. */
export async function waitingSpenders(chain: BitcoinChain, node: Node, address: Address): Promise<Waiting[]> {
  const { coins } = await confirmedCoins(chain, node, [address])
  const found: Waiting[] = []
  await withOwnChange(chain, node, coins, address, (waiting) => found.push(waiting))
  return found
}

/** The confirmed UTXOs of these addresses that no transaction spends yet. */
export async function restingCoins(
  chain: Pick<BitcoinChain, 'book' | 'treasury' | 'prefixes'>,
  node: Node,
  addresses: readonly Address[],
): Promise<OwnCoin[]> {
  const { coins } = await confirmedCoins(chain, node, addresses)
  return stillThere(node, coins)
}

/**
 * Drops UTXOs that were spent meanwhile. Called last: a block that the stored UTXO set does not include yet may have
 * spent some of them.
 */
async function stillThere<T extends Outpoint & { units: bigint }>(node: Node, coins: readonly T[]): Promise<T[]> {
  const found = await node.ask(coins.map((coin) => unspentUnits(coin)))
  return coins.filter(({ units }, position) => found[position] === units)
}

/** Adds our unconfirmed change, by following the spenders of our UTXOs through the mempool: we signed each of them. */
async function withOwnChange(
  { prefixes }: BitcoinChain,
  node: Node,
  confirmed: readonly OwnCoin[],
  address: Address,
  onWaiting: (waiting: Waiting) => void = () => undefined,
): Promise<SpendableCoin[]> {
  const script = Buffer.from(scriptOf(address, prefixes) ?? [])
  const spendable: SpendableCoin[] = []
  const followed = new Set<string>()
  let level: SpendableCoin[] = confirmed.map(({ txid, vout, units }) => ({ txid, vout, units, isConfirmed: true }))
  for (let depth = 0; level.length > 0 && depth <= LONGEST_CHAIN; depth++) {
    const spenders = await askSpenders(node, level)
    spendable.push(...level.filter((_, position) => spenders[position] === null))
    const fresh = new Set(spenders.filter((txid) => txid !== null && !followed.has(txid)))
    level = []
    for (const txid of fresh) {
      if (txid === null) continue
      followed.add(txid)
      const { change, slot } = await changeOf(node, txid, script)
      level.push(...change)
      onWaiting({ txHash: txid, slot })
    }
  }
  return spendable
}

async function changeOf(node: Node, txid: string, script: Buffer) {
  const [answer] = await node.settle([transaction(txid)])
  const { outputs = [], inputs } = orNull(answer) ?? {}
  const change = outputs.flatMap((output, vout): SpendableCoin[] =>
    script.equals(output.script) ? [{ txid, vout, units: output.units, isConfirmed: false }] : [],
  )
  return { change, slot: (inputs ?? []).map(partOf) }
}

async function askSpenders(node: Node, outpoints: readonly Outpoint[]): Promise<(string | null)[]> {
  const spenders: (string | null)[] = []
  for (let start = 0; start < outpoints.length; start += BATCH) {
    spenders.push(...(await node.ask([spendersOf(outpoints.slice(start, start + BATCH))]))[0])
  }
  return spenders
}

/**
 * Builds the UTXO set of our addresses if there is none yet: at the first start, and when new addresses may already
 * hold coins. The node scans its whole UTXO set for that, which takes minutes, in parallel to the block scan; blocks
 * that arrive meanwhile are replayed.
 */
import type { Utxo, UtxoChanges, UtxoPosition, UtxoSet, Watchlist } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { block, chainInfo, scanCoins, scanProgress } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { partOf } from '../transaction.ts'
import { hashAt, type Memory, oldest } from './cursor.ts'
import type { Snapshot } from './rebuild-progress.ts'
import { coinsMadeIn, partsSpentIn, type ReadBlock } from './utxo-changes.ts'

const PROGRESS_MS = 15_000
const REST_MS = 10_000
/** If more blocks than this arrived during the node's scan, it is repeated. */
const MOST_REPLAYED = 60

/** The complete set as of the block that this scan covers; null while it is not known. */
export async function rebuilt(
  chain: BitcoinChain,
  book: UtxoSet,
  node: Node,
  { edition }: UtxoPosition,
  scanned: { covered: Memory; blocks: readonly ReadBlock[] },
  ours: Watchlist,
): Promise<UtxoChanges | null> {
  const { rebuilding } = chain
  const { covered, blocks } = scanned
  const found = rebuilding.found?.edition === edition ? rebuilding.found : null
  if (!found) {
    start(chain, book, edition)
    return null
  }
  // The scan is catching up and has not reached that block.
  if (found.at.height > covered.height) return null
  const hash = hashAt(covered, covered.height)
  const isOfThisChain = [found.before, found.at].every((one) => hashAt(covered, one.height) === one.hash)
  if (hash === null || !isOfThisChain || covered.height - found.before.height > MOST_REPLAYED) {
    rebuilding.found = null
    return null
  }
  const coins = new Map(found.coins.map((coin) => [coin.part, coin]))
  for (let height = found.before.height + 1; height <= covered.height; height++) {
    const read = blocks.find((one) => one.height === height)?.block
    const one = read ?? (await node.ask([block(hashAt(covered, height) ?? '')]))[0]
    for (const coin of await coinsMadeIn(chain, [{ height, block: one }], ours)) coins.set(coin.part, coin)
    for (const part of partsSpentIn(one)) coins.delete(part)
  }
  return {
    edition,
    after: null,
    backTo: null,
    made: [...coins.values()],
    spent: [],
    block: { number: BigInt(covered.height), hash },
    forgetBefore: BigInt(oldest(covered)),
  }
}

/**
 * Starts the read in the background, since a scan must not take minutes. After a failure a later scan starts it again.
 */
function start(chain: BitcoinChain, book: UtxoSet, edition: bigint): void {
  const { rebuilding, log, network } = chain
  if (rebuilding.running !== null || Date.now() < rebuilding.restsUntil) return
  rebuilding.running = edition
  read(chain, book, edition)
    .then((found) => {
      rebuilding.found = found
      const { height } = found.at
      log.info({ network: network.name, height, coins: found.coins.length }, 'coins read from the set of unspent coins')
    })
    .catch((error) => {
      rebuilding.restsUntil = Date.now() + REST_MS
      log.warn({ network: network.name, err: error }, 'coins could not be read from the set of unspent coins')
    })
    .finally(() => {
      rebuilding.running = null
    })
}

function read(chain: BitcoinChain, book: UtxoSet, edition: bigint): Promise<Snapshot> {
  const { network, treasury, prefixes, log } = chain
  return chain.rpc.use(async (node) => {
    const [{ height, hash }] = await node.ask([chainInfo()])
    const addresses = [treasury, ...(await book.addresses())]
    log.info({ network: network.name, addresses: addresses.length }, 'the node reads all unspent coins for ours')
    const timer = setInterval(() => void tellProgress(chain, node), PROGRESS_MS).unref()
    const [found] = await node.ask([scanCoins(addresses)]).finally(() => clearInterval(timer))
    const coins = found.coins.flatMap(({ script, units, height: madeAt, isCoinbase, ...outpoint }): Utxo[] => {
      const owner = addressOf(Buffer.from(script, 'hex'), prefixes)
      if (owner === null || units <= 0n) return []
      return [{ part: partOf(outpoint), owner, units, madeAt: BigInt(madeAt), isCoinbase }]
    })
    return { edition, before: { height, hash }, at: { height: found.height, hash: found.hash }, coins }
  })
}

async function tellProgress({ network, log }: BitcoinChain, node: Node): Promise<void> {
  const [percent] = await node.settle([scanProgress()]).catch(() => [null])
  if (percent === null || percent instanceof Refusal) return
  log.info({ network: network.name, percent }, 'the node reads all unspent coins for ours')
}

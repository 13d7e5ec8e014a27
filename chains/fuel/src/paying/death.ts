/**
 * The proof that nothing of a slot can land any more. Either another transaction has spent one of its coins, in a block that is
 * final; or its time is over, at final depth, and every node still shows all of its coins: had it landed, they would be gone.
 */
import { type BlockRef, type Evidence, RetryLater, type SentTransfer } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { coinsById, head, headers } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { locate } from '../scanning/locate.ts'
import { coinInputs, partOf } from '../transaction.ts'
import { type SlotUse, useOf } from './slot.ts'

/** Every node must agree: one that lags or lies would otherwise allow a second payment. */
export async function deathOf(chain: FuelChain, { hash, slot }: SentTransfer): Promise<Evidence | null> {
  const use = useOf(slot)
  const look = await chain.rpc.use(async (node) => {
    const { number: height } = await node.ask(head())
    const isWhole = await areUnspent(node, use, height)
    const rival = isWhole ? null : await chain.spenders.find(chain, node, use.parts, searchStart(chain, use))
    return { height, isWhole, rival }
  })
  const { height, isWhole, rival } = look
  if (isWhole) return isOver(chain, use, height) ? expiredEverywhere(chain, hash, use) : null
  // Found as its own spender it has landed, whatever else was said of it.
  return rival === null || rival === hash ? null : usedEverywhere(chain, hash, use, rival, height)
}

/** Blocks before a slot's first one hold nothing of it. A bound that was changed since may make it begin too late: then nothing is found. */
function searchStart({ settings }: FuelChain, { until }: SlotUse): bigint {
  return until > settings.expiresAfter ? until - settings.expiresAfter : 0n
}

function isOver({ network }: FuelChain, { until }: SlotUse, height: bigint): boolean {
  return height >= until + BigInt(network.finalDepth)
}

async function areUnspent(node: Node, { coins }: SlotUse, atLeast: bigint): Promise<boolean> {
  const found = await Promise.all(coinsById(coins).map((query) => node.ask(query, atLeast)))
  return found.flat().every((coin) => coin !== null)
}

async function expiredEverywhere(chain: FuelChain, hash: string, use: SlotUse): Promise<Evidence | null> {
  const { until } = use
  const depth = until + BigInt(chain.network.finalDepth)
  const seen = await chain.rpc.every(async (node): Promise<BlockRef | null> => {
    // Asked last, so that the coins are shown by a view that is no older than all before it.
    const [last] = await node.ask(headers(until, 1), depth)
    if ((await locate(chain, node, hash, depth)).state !== 'unknown') return null
    return last && (await areUnspent(node, use, depth)) ? { number: last.number, hash: last.hash } : null
  })
  const block = agreed(seen)
  if (!block) return null
  const reason = `it could land up to block ${until}, which is final, and all of its coins are unspent at ${depth}`
  return { usedBy: null, block, reason }
}

async function usedEverywhere(
  chain: FuelChain,
  hash: string,
  use: SlotUse,
  rival: string,
  height: bigint,
): Promise<Evidence | null> {
  const seen = await chain.rpc.every(async (node): Promise<(BlockRef & { part: string }) | null> => {
    const found = await locate(chain, node, rival, height)
    if (found.state !== 'included' || found.confirmations < chain.network.finalDepth) return null
    const spent = coinInputs(found.landed.transaction).map(partOf)
    const part = use.parts.find((one) => spent.includes(one))
    if (part === undefined || (await locate(chain, node, hash, height)).state !== 'unknown') return null
    return { ...found.landed.block, part }
  })
  const block = agreed(seen)
  if (!block) return null
  const { number, hash: blockHash, part } = block
  const reason = `${part} was spent by ${rival} in block ${number}, which is final`
  return { usedBy: rival, block: { number, hash: blockHash }, reason }
}

/** The block that all of them name; null where one says something else, or nothing. */
function agreed<B extends BlockRef>(seen: readonly (B | null)[]): B | null {
  const [first] = seen
  if (!first) return null
  if (seen.some((one) => one !== null && one.number === first.number && one.hash !== first.hash)) {
    throw new RetryLater(`nodes differ in block ${first.number}`)
  }
  return seen.every((one) => one?.hash === first.hash) ? first : null
}

/**
 * The scan: messages to the treasury since the cursor. It takes one request per poll while nothing happens, otherwise
 * two and one per deposit. Masterchain blocks are final, so there is never a reorg to report.
 */
import { type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { type AccountState, accountState, transactions } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { TonTransaction, TxPointer } from '../transaction.ts'
import { formatCursor, type Progress, parseCursor, type Walk } from './cursor.ts'
import { sightingsIn } from './sightings.ts'

/** Maximum transactions per scan, so that a backfill is stored in steps. */
const STRETCH = 200

/**
 * After this long without a transaction the account is read at the longer interval, however often a scan is requested:
 * nodes meter requests.
 */
const QUIET_AFTER_MS = 600_000
const QUIET_EVERY_MS = 6_000

export async function scan(chain: TonChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  const { scanMemory } = chain
  const at = Date.now()
  const isQuiet = at - scanMemory.changedAt > QUIET_AFTER_MS && at - scanMemory.askedAt < QUIET_EVERY_MS
  if (scanMemory.last && isQuiet && scanMemory.last.next === cursor) return { ...scanMemory.last, sightings: [] }
  const found = await look(chain, cursor, ours)
  const hasCome = cursor === null || parseCursor(found.next).lt !== parseCursor(cursor).lt
  Object.assign(scanMemory, { last: found, askedAt: at, changedAt: hasCome ? at : scanMemory.changedAt })
  return found
}

function look(chain: TonChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const state = await node.ask(accountState(chain.treasury.address))
    const { head } = state
    await chain.reach.assert(node, head.number)
    if (cursor === null) await assertKnown(chain, state.last)
    if (cursor === null) return { ...standing(state, atHead(state)), sightings: [] }
    const before = parseCursor(cursor)
    const walk = before.walk ?? walkFrom(state, before)
    if (!walk) {
      // A lagging node has nothing new: the cursor stays.
      const now = head.number > before.seqno ? { ...before, seqno: head.number } : before
      return { ...standing(state, now), sightings: [] }
    }
    if (!before.walk) await assertKnown(chain, walk.at)
    const { passed, after } = await stretch(chain, node, before, walk)
    return { ...standing(state, after), sightings: await sightingsIn(chain, node, passed, ours) }
  })
}

/** Throws unless a quorum knows the transaction: one that only a single node shows would hide all real later ones. */
async function assertKnown({ network, rpc, treasury }: TonChain, last: TxPointer | null): Promise<void> {
  if (!last || (network.quorum ?? 1) < 2) return
  const isKnown = await rpc.agreed(async (node) => {
    try {
      const [found] = await node.ask(transactions(treasury.address, last, 1, false))
      return found?.account === treasury.accountId && found.hash === last.hash && found.lt === last.lt
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }, String)
  if (!isKnown) throw new RetryLater(`${network.name}: nodes do not agree on the treasury's latest transaction`)
}

function standing({ head }: AccountState, progress: Progress): Omit<Scan, 'sightings'> {
  return { next: formatCursor(progress), head, scannedTo: progress.seqno, reorgFrom: null }
}

function atHead({ head, last }: AccountState): Progress {
  return { seqno: head.number, lt: last?.lt ?? 0n, walk: null }
}

function walkFrom({ head, last }: AccountState, before: Progress): Walk | null {
  if (!last || last.lt <= before.lt || head.number < before.seqno) return null
  return { seqno: head.number, lt: last.lt, at: last }
}

/** Reads backwards as far as one scan goes, and returns the covered part. */
async function stretch(
  { history, treasury }: TonChain,
  node: Node,
  before: Progress,
  walk: Walk,
): Promise<{ passed: TonTransaction[]; after: Progress }> {
  const passed: TonTransaction[] = []
  for await (const transaction of history.walk(node, treasury.address, walk.at)) {
    if (transaction.lt <= before.lt) break
    if (passed.length === STRETCH) {
      return { passed, after: { ...before, walk: { ...walk, at: { lt: transaction.lt, hash: transaction.hash } } } }
    }
    passed.push(transaction)
  }
  return { passed, after: { seqno: walk.seqno, lt: walk.lt, walk: null } }
}

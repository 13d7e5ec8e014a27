/** All movements of the treasury's spot balance in a range of seconds, from its ledger. */
import { type Address, Bug, type Movement, RetryLater } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { NO_HASH, networkTime } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { hashOfRows, isSent } from '../paying/rebuild-from-ledger.ts'
import { formatPart } from '../paying/slot.ts'
import { changeOf } from './balance-changes.ts'
import { blockAt, closedBefore, endOf, startOf } from './block-time.ts'
import { readLedger } from './ledger.ts'
import { isUnreadable, keyOf, type Row } from './ledger-row.ts'
import { hashFor } from './received.ts'

export function movements(chain: HyperliquidChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  if (account !== chain.treasury) throw new Bug('not our treasury', { account })
  return chain.rpc.use(async (node) => {
    const time = await node.ask(networkTime())
    if (closedBefore(time).number < to) throw new RetryLater(`second ${to} is not over yet`)
    const found = new Map<string, Movement>()
    for (const row of await wholeOf(chain, node, startOf(from), endOf(to))) {
      const movement = movementOf(chain, row)
      const before = found.get(movement.txHash)
      if (before) before.changes.push(...movement.changes)
      else found.set(movement.txHash, movement)
    }
    return [...found.values()].filter(({ slot, changes }) => slot !== null || changes.length > 0)
  })
}

/** Rows shown now plus cached rows that a lagging gateway does not show; oldest first. */
async function wholeOf(chain: HyperliquidChain, node: Node, start: number, end: number): Promise<Row[]> {
  const { rows, hasGap } = await readLedger(node, chain.treasury, start, end)
  if (hasGap) throw new RetryLater('more happened to the treasury in one moment than a gateway shows')
  const unread = rows.find((row) => isUnreadable(row, [chain.treasury]))
  if (unread) throw new RetryLater(`a row of the treasury's ledger cannot be read: ${unread.type} at ${unread.time}`)
  const shown = new Set(rows.map(keyOf))
  const isKept = (row: Row) => row.time >= start && row.time <= end && row.hash !== NO_HASH && !shown.has(keyOf(row))
  const before = chain.ledgerCache.known().filter((row) => isKept(row) && !isUnreadable(row, [chain.treasury]))
  return [...rows, ...before].sort((a, b) => a.time - b.time)
}

/** Our own actions get the hash under which we signed them; other actions of the account are not ours. */
function movementOf(chain: HyperliquidChain, row: Row): Movement {
  const { changes, isOwn } = changeOf(chain, row, chain.treasury, chain.log)
  const block = blockAt(row.time)
  if (!isOwn) return { txHash: hashFor(row, chain.treasury), block, changes, slot: null }
  const signed = isSent(row) ? hashOfRows(chain, [row], 0) : null
  const slot = isSent(row) ? [formatPart({ source: null, nonce: row.transfer.nonce })] : [`action:${row.hash}`]
  return { txHash: signed ?? row.hash, block, changes, slot }
}

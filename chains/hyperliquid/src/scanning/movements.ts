/** Everything that moved the treasury's spot balance in a stretch of seconds, from its ledger. */
import { type Address, Bug, type Movement, RetryLater } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime } from '../node/calls.ts'
import { hashOfRows, isSent } from '../paying/rebuilt.ts'
import { formatPart } from '../paying/slot.ts'
import { changeOf } from './changes.ts'
import { blockAt, closedBefore, endOf, startOf } from './clock.ts'
import { hashFor } from './received.ts'
import type { Row } from './rows.ts'

export function movements(chain: HyperliquidChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  if (account !== chain.treasury) throw new Bug('not our treasury', { account })
  return chain.rpc.use(async (node) => {
    const time = await node.ask(networkTime())
    if (closedBefore(time).number < to) throw new RetryLater(`second ${to} is not over yet`)
    const rows = await chain.past.since(node, startOf(from))
    const inside = rows.filter((row) => row.time >= startOf(from) && row.time <= endOf(to))
    const found = new Map<string, Movement>()
    for (const row of inside) {
      const movement = movementOf(chain, row)
      const before = found.get(movement.txHash)
      if (before) before.changes.push(...movement.changes)
      else found.set(movement.txHash, movement)
    }
    return [...found.values()].filter(({ slot, changes }) => slot !== null || changes.length > 0)
  })
}

/** What we signed goes by the name that it was signed under; whatever else the account did itself is nothing of ours. */
function movementOf(chain: HyperliquidChain, row: Row): Movement {
  const { changes, isOwn } = changeOf(chain, row, chain.treasury, chain.log)
  const block = blockAt(row.time)
  if (!isOwn) return { txHash: hashFor(row, chain.treasury), block, changes, slot: null }
  const signed = isSent(row) ? hashOfRows(chain, [row], 0) : null
  const slot = isSent(row) ? [formatPart({ source: null, nonce: row.transfer.nonce })] : [`action:${row.hash}`]
  return { txHash: signed ?? row.hash, block, changes, slot }
}

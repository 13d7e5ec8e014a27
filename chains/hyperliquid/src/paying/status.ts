/**
 * What became of a signed payout. The treasury's ledger tells: a payout is there with its nonce, and so is a sweep, which comes
 * to the treasury; the address that it emptied may have been forgotten by the network, ledger and all.
 */
import { Bug, type SentTransfer, type TransferStatus } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime } from '../node/calls.ts'
import { feesIn } from '../scanning/changes.ts'
import { blockAt, confirmationsAt } from '../scanning/clock.ts'
import type { Row } from '../scanning/rows.ts'
import { CANCEL_UNITS } from './action.ts'
import { expiredBy } from './death.ts'
import { NONCE_SLACK_MS } from './pay.ts'
import { hashOfRows, type SentRow, strangeUse, usedIn, variantIn } from './rebuilt.ts'
import { partsOf, type SlotPart } from './slot.ts'

export async function status(chain: HyperliquidChain, sent: SentTransfer): Promise<TransferStatus> {
  if (sent.account !== chain.treasury) throw new Bug('not our treasury', { account: sent.account })
  const parts = partsOf(sent.slot)
  const oldest = Math.min(...parts.map(({ nonce }) => nonce))
  const seen = await chain.rpc.use(async (node) => {
    const rows = await chain.past.since(node, oldest - NONCE_SLACK_MS)
    const used = usedIn(chain, rows, parts)
    const strange = strangeUse(chain, rows, parts)
    if (used.length === 0 && !strange) return null
    const timeMs = await node.ask(networkTime())
    return strange ? usedElsewhere(chain, sent, strange, timeMs) : judged(chain, sent, parts, used, timeMs)
  })
  if (seen) return seen
  const evidence = await expiredBy(chain, parts)
  if (evidence) return { state: 'dead', evidence }
  return { state: chain.accepted.has(sent.hash) ? 'pending' : 'unknown' }
}

function judged(
  chain: HyperliquidChain,
  { hash, slot }: SentTransfer,
  parts: readonly SlotPart[],
  used: readonly SentRow[],
  timeMs: number,
): TransferStatus {
  // Some addresses are empty, others are not yet: it is sent again until all are.
  if (used.length < parts.length) return { state: 'pending' }
  const newest = used.reduce((latest, row) => (row.time > latest.time ? row : latest))
  const block = blockAt(newest.time)
  const confirmations = confirmationsAt(timeMs, block)
  const variant = variantIn(chain, used, hash)
  if (variant === 0) {
    return { state: 'included', block, confirmations, feeUnits: costOf(chain, used), alias: newest.hash }
  }
  if (confirmations < chain.network.finalDepth) return { state: 'unknown' }
  const first = hashOfRows(chain, used, 0)
  // The ledger does not tell in which writing a payment was made: it counts as made by the first one, once.
  const what = variant === null ? 'by another payment' : 'by the same payment as it was written first'
  const reason = `${slot.join(' ')} was used ${what}, in transaction ${newest.hash}, which is final`
  return { state: 'dead', evidence: { usedBy: first ?? newest.hash, block, reason } }
}

/** Nothing that this service signs: whoever did has the key. */
function usedElsewhere(chain: HyperliquidChain, { slot }: SentTransfer, row: Row, timeMs: number): TransferStatus {
  const block = blockAt(row.time)
  if (confirmationsAt(timeMs, block) < chain.network.finalDepth) return { state: 'unknown' }
  const reason = `${slot.join(' ')} was used by a ${row.type} that is none of ours, in transaction ${row.hash}, which is final`
  return { state: 'dead', evidence: { usedBy: row.hash, block, reason } }
}

/** What left beside the payment; of a cancellation all that it moved out of the spot balance. */
function costOf(chain: HyperliquidChain, rows: readonly SentRow[]): bigint {
  return rows.reduce((sum, { transfer }) => {
    const fees = feesIn(chain, transfer).filter(({ token }) => token.contract === null)
    const moved = transfer.user === transfer.destination ? CANCEL_UNITS : 0n
    return fees.reduce((all, { units }) => all + units, sum + moved)
  }, 0n)
}

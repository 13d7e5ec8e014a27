/** The output of "swap show" in addition to the swap itself: its signed transactions, postings, and notes. */
import { type AttemptStory, attemptsOf, notesOf, postingsOf } from '../../store/swaps/swap-timeline.ts'
import { amountAt, type CommandContext, table } from './command-context.ts'

const MOST = 500
/** How many parts of a slot are shown: a transaction may spend many UTXOs. */
const PARTS_SHOWN = 3

export async function printTimeline(desk: CommandContext, swapId: string): Promise<void> {
  const { database } = desk
  const attempts = await attemptsOf(database, swapId, MOST)
  if (attempts.length > 0)
    table(
      desk,
      ['payout', 'kind', 'slot', 'transaction', 'signed', 'sent', 'outcome'],
      attempts.map((attempt) => [
        attempt.payout_id,
        attempt.kind,
        slotOf(attempt),
        attempt.hash,
        attempt.created_at.toISOString(),
        attempt.sent_at?.toISOString() ?? 'not yet',
        outcomeOf(attempt),
      ]),
    )
  const postings = await postingsOf(database, swapId, MOST)
  if (postings.length > 0)
    table(
      desk,
      ['booked at', 'booked as', 'account', 'whose', 'network', 'units'],
      postings.map((entry) => [
        entry.at.toISOString(),
        entry.reason,
        entry.account,
        entry.owner,
        entry.network,
        amountAt(desk, entry.network, entry.token, entry.units),
      ]),
    )
  const notes = await notesOf(database, swapId, MOST)
  if (notes.length > 0)
    table(
      desk,
      ['noted at', 'author', 'note'],
      notes.map(({ at, author, text }) => [at.toISOString(), author, text]),
    )
}

function slotOf({ parts, number }: AttemptStory): string {
  const more = parts.length - PARTS_SHOWN
  const shown = `${parts.slice(0, PARTS_SHOWN).join(' ')}${more > 0 ? ` and ${more} more` : ''}`
  return number === 0 ? shown : `${shown}, try ${number + 1}`
}

/**
 * The outcome of an attempt, as text. At most one of the transactions signed in one slot can be mined. If there is
 * proof of invalidation, none of them has paid.
 */
function outcomeOf({ slot_state: state, hash, tx_hash: made, cancels, sent_at, evidence }: AttemptStory): string {
  const isSame = (other: string | null) => other !== null && other.toLowerCase() === hash.toLowerCase()
  if (evidence) {
    if (!isSame(evidence.usedBy)) return `cannot land any more: ${evidence.reason}`
    return cancels ? 'landed, and used the slot up' : `failed: ${evidence.reason}`
  }
  if (state !== 'open') return isSame(made) ? 'landed' : 'replaced'
  if (sent_at === null) return 'signed'
  return cancels ? 'on its way, to use the slot up' : 'on its way'
}

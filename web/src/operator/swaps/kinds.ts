/** The filters of the list of all swaps, each with the number of its swaps. */
import { formatCount } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import type { Counts } from '../shell/reports.ts'

export const KINDS = {
  all: '',
  // These wait for an operator, whatever their status.
  needs: '',
  progress: 'user_transfer_pending,ls_transfer_pending,refund_pending',
  done: 'completed',
  refunded: 'refunded,failed',
  failed: 'expired',
} as const
export type Kind = keyof typeof KINDS

/** Without a count as long as it is not known. */
export function labelOf(name: Kind, counts: Counts | null): string {
  const label = text.allSwaps.kinds[name]
  if (counts === null) return label
  if (name === 'needs') return text.allSwaps.count(label, formatCount(counts.waiting))
  const wanted = Object.entries(counts.statuses).filter(
    ([status]) => name === 'all' || KINDS[name].split(',').includes(status),
  )
  return text.allSwaps.count(label, formatCount(wanted.reduce((sum, [, count]) => sum + count, 0)))
}

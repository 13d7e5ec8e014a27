/** The status of a swap for its operators: a payout on hold comes before what customers see. */
import { operator as text } from '../../text/en/operator.ts'
import { Badge } from '../../ui/notice.tsx'
import { Status } from '../../ui/swap-list.tsx'
import type { ConsoleRow } from '../shell/reports.ts'

export function ConsoleStatus({ row }: { row: ConsoleRow }) {
  if (row.hold === null) return <Status row={row} />
  return (
    <Badge tone="warn" icon="pause">
      {text.holds[row.hold]}
    </Badge>
  )
}

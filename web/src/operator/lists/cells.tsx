/** The cells of a table: amounts, ids that link to their swap, sums. All are plain text, never HTML. */
import { cut, formatDecimal, visible } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { capital, LONG_WORD, shortened, type Units, wordFor } from './words.ts'

const PLACES = 6
const LITTLE = 0.001

/** Columns whose cells are swap ids and link to the swap's page. */
const SWAPS = new Set(['swap'])
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The address that contracts use for "none". */
const NOBODY = /^0x0{40}$/

/** Words and formatted times; ids are shortened, and the full text is shown on hover. */
function shown(head: string, cell: string, units: Units = {}): string {
  if (NOBODY.test(cell)) return wordFor('state', 'none')
  return LONG_WORD.test(cell) ? shortened(cell) : wordFor(head, cell, units)
}

/** An amount to six decimals with thousands separators, and its value below it; the full amount is shown on hover. */
function Amount({ cell }: { cell: string }) {
  const [, amount = '', symbol = '', worth = ''] = /^(-?[\d.]+)( [^(]*)(\(.*\))?$/.exec(cell) ?? []
  if (amount === '') return <>{visible(cell)}</>
  // Small amounts keep every digit.
  const short = Math.abs(Number(amount)) < LITTLE ? amount : cut(amount, PLACES)
  return (
    <span>
      <span class="nowrap">{`${formatDecimal(short)}${visible(symbol)}`.trim()}</span>{' '}
      {worth && <small class="worth-line">{worth.replace('-', '−')}</small>}
    </span>
  )
}

/** The hover text: an amount in base units, or the full text of a shortened cell. */
function hoverOf(head: string, cell: string, units: Record<string, string>): string | undefined {
  if (units[cell] !== undefined) return `${cell}, ${text.baseUnits(units[cell])}`
  return shown(head, cell) !== cell || cell.length > 24 ? cell : undefined
}

export const labelOf = (head: string) => text.heads[head] ?? head

/** A sum of a column; the first column says that it is the total. */
export function Total({ head, sum, isMoney }: { head: string; sum: string; isMoney: boolean }) {
  return isMoney ? (
    <td class="cell money" data-head={labelOf(head)}>
      {visible(sum).replace('-', '−')}
    </td>
  ) : (
    <th scope="row">{text.totals[sum] ?? visible(sum)}</th>
  )
}

/** Names with one value each need no columns. */
export function Pairs({ rows }: { rows: string[][] }) {
  return (
    <dl class="pairs facts">
      {rows.map(([what = '', value = '']) => (
        <div key={what} class="row between">
          <dt>{shown('what', what)}</dt>
          <dd class="cell" title={hoverOf('value', value, {})}>
            {shown('value', value)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface CellProps {
  head: string
  cell: string
  units: Record<string, string>
  /** Whether its column has amounts: words in it are aligned like them. */
  isMoney: boolean
  /** Whether its row is a hold: the reason is a sentence of ours. */
  isHold: boolean
}

export function Cell({ head, cell, units, isMoney, isHold }: CellProps) {
  const isAmount = units[cell] !== undefined
  const isLong = head === 'data' || head === 'with' || head === 'reason' || head === 'held' || head === 'note'
  return (
    <td
      class={isMoney ? 'cell money' : isLong ? 'cell long' : 'cell'}
      data-head={labelOf(head)}
      title={hoverOf(head, cell, units)}
    >
      {SWAPS.has(head) && UUID.test(cell) ? (
        <a href={`/operator/swap/${cell}`}>{shown(head, cell)}</a>
      ) : isAmount ? (
        <Amount cell={cell} />
      ) : isHold && head === 'reason' ? (
        capital(shown(head, cell))
      ) : (
        shown(head, cell, units)
      )}
    </td>
  )
}

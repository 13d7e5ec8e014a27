/** A table that the service sent. Its cells are plain text, never HTML. */
import type { ComponentChildren } from 'preact'
import { cut, formatDecimal, visible } from '../../money/format.ts'
import { formatTime } from '../../money/format-time.ts'
import { operator as text } from '../../text/en/operator.ts'

/** A table wider than the page can be scrolled by keyboard too. */
const BY_KEYBOARD = { tabIndex: 0 }

interface TableProps {
  heads: string[]
  rows: string[][]
  /** Amounts in base units, shown on hover. */
  units?: Record<string, string>
  children?: ((row: string[]) => ComponentChildren) | undefined
}

const PLACES = 6
const LITTLE = 0.001
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/
/** Matches ids, hashes and addresses, which are shortened. */
const LONG_WORD = /^(?=.*\d)[0-9A-Za-z-]{30,}$/

/** Columns whose cells are swap ids and link to the swap's page. */
const SWAPS = new Set(['swap'])
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Formats timestamps and shortens ids; the full text is shown on hover. */
function shown(cell: string): string {
  const short = LONG_WORD.test(cell) ? `${cell.slice(0, 8)}…${cell.slice(-4)}` : cell
  return readable(short)
}

/** The full text, with formatted timestamps. */
export function readable(text: string): string {
  return visible(text.replace(MOMENT, (moment) => formatTime(moment)))
}

/** An amount to six decimals with thousands separators; the full amount is shown on hover. */
function shownAmount(cell: string): string {
  const [, amount = '', rest = ''] = /^(-?[\d.]+)( .*)$/.exec(cell) ?? []
  if (amount === '') return shown(cell)
  // Small amounts keep every digit.
  const short = Math.abs(Number(amount)) < LITTLE ? amount : cut(amount, PLACES)
  return `${formatDecimal(short)}${visible(rest)}`
}

/** The hover text: an amount in base units, or the full text of a shortened cell. */
function hoverOf(cell: string, units: Record<string, string>): string | undefined {
  if (units[cell] !== undefined) return `${cell}, ${text.baseUnits(units[cell])}`
  return shown(cell) !== cell || cell.length > 24 ? cell : undefined
}

const labelOf = (head: string) => text.heads[head] ?? head

export function Table({ heads, rows, units = {}, children }: TableProps) {
  return (
    <section class="scroll" aria-label={heads.join(', ')} {...BY_KEYBOARD}>
      <table class="table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {labelOf(head)}
              </th>
            ))}
          </tr>
        </thead>
        {rows.map((row) => (
          <tbody key={row.join()}>
            <tr>
              {row.map((cell, column) => (
                <td
                  key={heads[column]}
                  class={units[cell] === undefined ? 'cell' : 'cell amount'}
                  data-head={labelOf(heads[column] ?? '')}
                  title={hoverOf(cell, units)}
                >
                  {SWAPS.has(heads[column] ?? '') && UUID.test(cell) ? (
                    <a href={`/operator/swap/${cell}`}>{shown(cell)}</a>
                  ) : units[cell] === undefined ? (
                    shown(cell)
                  ) : (
                    shownAmount(cell)
                  )}
                </td>
              ))}
            </tr>
            {/* Below its row: next to it they would be outside the page. */}
            {children && (
              <tr class="acts">
                <td colSpan={heads.length}>{children(row)}</td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
    </section>
  )
}

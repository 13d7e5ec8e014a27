/** A table that the service sent. Its cells are plain text, never HTML. */
import type { ComponentChildren } from 'preact'
import { cut, formatDecimal, visible } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { LONG_WORD, shortened, type Units, wordFor } from './words.ts'

/** A table wider than the page can be scrolled by keyboard too. */
const BY_KEYBOARD = { tabIndex: 0 }

interface TableProps {
  heads: string[]
  rows: string[][]
  /** The sums of the rows, in dollars. */
  total?: string[] | undefined
  /** Amounts in base units, shown on hover. */
  units?: Record<string, string>
  /** The actions of a row. */
  children?: ((row: string[]) => ComponentChildren) | undefined
  /** Few actions are placed at the end of their row, more of them below it. */
  isInline?: boolean
}

const PLACES = 6
const LITTLE = 0.001

/** Columns whose cells are swap ids and link to the swap's page. */
const SWAPS = new Set(['swap'])
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Words and formatted times; ids are shortened, and the full text is shown on hover. */
function shown(head: string, cell: string, units: Units = {}): string {
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

const labelOf = (head: string) => text.heads[head] ?? head

/** Only of use on the command line. */
const HIDDEN = new Set(['at block'])

/** Columns that say something: empty ones are left out, and the token, which an amount names. */
function columnsOf({ heads, rows, units = {} }: TableProps): number[] {
  const hasAmount = rows.some((row) => row.some((cell) => units[cell] !== undefined))
  return heads.flatMap((head, column) => {
    const isEmpty = rows.every((row) => (row[column] ?? '') === '')
    return isEmpty || HIDDEN.has(head) || (head === 'token' && hasAmount) ? [] : [column]
  })
}

export function Table(props: TableProps) {
  const { heads, rows, total, units = {}, children, isInline = false } = props
  const columns = columnsOf(props)
  const isMoney = (column: number) => rows.some((row) => units[row[column] ?? ''] !== undefined)
  if (heads.join() === 'what,value' && !children) return <Pairs rows={rows} />
  return (
    <section class="scroll" aria-label={heads.map(labelOf).join(', ')} {...BY_KEYBOARD}>
      <table class="table by-row">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={heads[column]} scope="col" class={isMoney(column) ? 'number' : undefined}>
                {labelOf(heads[column] ?? '')}
              </th>
            ))}
            {children && isInline && (
              <th scope="col">
                <span class="out-of-sight">{text.rowActions}</span>
              </th>
            )}
          </tr>
        </thead>
        {rows.map((row) => (
          <tbody key={row.join()}>
            <tr>
              {columns.map((column) => (
                <Cell key={heads[column]} head={heads[column] ?? ''} cell={row[column] ?? ''} units={units} />
              ))}
              {children && isInline && <td class="row-acts">{children(row)}</td>}
            </tr>
            {children && !isInline && (
              <tr class="acts">
                <td colSpan={columns.length}>{children(row)}</td>
              </tr>
            )}
          </tbody>
        ))}
        {total && (
          <tfoot>
            <tr>
              {columns.map((column) => (
                <Total
                  key={heads[column]}
                  head={heads[column] ?? ''}
                  sum={total[column] ?? ''}
                  isMoney={isMoney(column)}
                />
              ))}
              {children && isInline && <td />}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  )
}

/** A sum of a column; the first column says that it is the total. */
function Total({ head, sum, isMoney }: { head: string; sum: string; isMoney: boolean }) {
  return isMoney ? (
    <td class="cell money" data-head={labelOf(head)}>
      {visible(sum).replace('-', '−')}
    </td>
  ) : (
    <th scope="row">{text.totals[sum] ?? visible(sum)}</th>
  )
}

/** Names with one value each need no columns. */
function Pairs({ rows }: { rows: string[][] }) {
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

function Cell({ head, cell, units }: { head: string; cell: string; units: Record<string, string> }) {
  const isAmount = units[cell] !== undefined
  const isLong = head === 'data' || head === 'with' || head === 'reason' || head === 'note'
  return (
    <td
      class={isAmount ? 'cell money' : isLong ? 'cell long' : 'cell'}
      data-head={labelOf(head)}
      title={hoverOf(head, cell, units)}
    >
      {SWAPS.has(head) && UUID.test(cell) ? (
        <a href={`/operator/swap/${cell}`}>{shown(head, cell)}</a>
      ) : isAmount ? (
        <Amount cell={cell} />
      ) : (
        shown(head, cell, units)
      )}
    </td>
  )
}

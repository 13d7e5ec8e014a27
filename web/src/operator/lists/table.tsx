/** A table that the service sent. Its cells are plain text, never HTML. */
import type { ComponentChildren } from 'preact'
import { operator as text } from '../../text/en/operator.ts'
import { Cell, labelOf, Pairs, Total } from './cells.tsx'

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

/** Only of use on the command line. */
const HIDDEN = new Set(['at block', 'hold', 'code'])

/** Columns that say something: empty ones are left out, and the token, which an amount names. */
function columnsOf({ heads, rows, units = {} }: TableProps): number[] {
  const hasAmount = rows.some((row) => row.some((cell) => units[cell] !== undefined))
  return heads.flatMap((head, column) => {
    const isEmpty = rows.every((row) => (row[column] ?? '') === '')
    // A reason says by what a payout is held, and most are usual payouts.
    const isUsual = head === 'kind' && rows.every((row) => row[column] === 'output')
    const isSaid = (head === 'token' && hasAmount) || (heads.includes('hold') && (head === 'by' || isUsual))
    return isEmpty || HIDDEN.has(head) || isSaid ? [] : [column]
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
                <Cell
                  key={heads[column]}
                  head={heads[column] ?? ''}
                  cell={row[column] ?? ''}
                  units={units}
                  isMoney={isMoney(column)}
                  isHold={heads.includes('hold')}
                />
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

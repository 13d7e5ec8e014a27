/** A table as the service told it: text, nothing else. */
import type { ComponentChildren } from 'preact'
import { formatTime, visible } from '../money/format.ts'
import { operator as text } from '../text/en.ts'

/** What is wider than the page is scrolled, without a mouse as well. */
const BY_KEYBOARD = { tabIndex: 0 }

interface TableProps {
  heads: string[]
  rows: string[][]
  children?: ((row: string[]) => ComponentChildren) | undefined
}

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/
const LONG_WORD = /^[\w-]{30,}$/

/** Moments as people read them, ids by their ends; the whole is shown on hover. */
function shown(cell: string): string {
  const short = LONG_WORD.test(cell) ? `${cell.slice(0, 8)}…${cell.slice(-4)}` : cell
  return visible(short.replace(MOMENT, (moment) => formatTime(moment)))
}

export function Table({ heads, rows, children }: TableProps) {
  return (
    <section class="scroll" aria-label={heads.join(', ')} {...BY_KEYBOARD}>
      <table class="table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {text.heads[head] ?? head}
              </th>
            ))}
            {children && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join()}>
              {row.map((cell, column) => (
                <td
                  key={heads[column]}
                  class="cell"
                  title={shown(cell) !== cell || cell.length > 24 ? cell : undefined}
                >
                  {shown(cell)}
                </td>
              ))}
              {children && <td class="acts">{children(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

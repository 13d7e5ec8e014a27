/** A table as the service told it: text, nothing else. */
import type { ComponentChildren } from 'preact'
import { visible } from '../money/format.ts'

/** What is wider than the page is scrolled, without a mouse as well. */
const BY_KEYBOARD = { tabIndex: 0 }

interface TableProps {
  heads: string[]
  rows: string[][]
  children?: (row: string[]) => ComponentChildren
}

export function Table({ heads, rows, children }: TableProps) {
  return (
    <section class="scroll" aria-label={heads.join(', ')} {...BY_KEYBOARD}>
      <table class="table">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {children && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join()}>
              {row.map((cell, column) => (
                <td key={heads[column]} class="cell" title={cell.length > 24 ? cell : undefined}>
                  {visible(cell)}
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

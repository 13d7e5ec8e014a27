/** Swaps as rows of the console, with the searched part marked. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { operator as text } from '../../text/en/operator.ts'
import { Received, Sent } from '../../ui/swap-leg.tsx'
import { Age, Status } from '../../ui/swap-list.tsx'
import { Marked } from './marked.tsx'

export function SwapRows({ rows, search }: { rows: readonly ExplorerRow[]; search: string }) {
  const { heads } = text.allSwaps
  return (
    <div class="card swap-list scroll">
      <table class="table">
        <thead>
          <tr>
            {[heads.swap, heads.recipient, heads.sent, heads.received, heads.status, heads.reference, heads.age].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.swap.id}>
              <td>
                <a class="hash" href={`/operator/swap/${row.swap.id}`}>
                  <Marked text={row.swap.id.slice(0, 8)} part={search.slice(0, 8)} />
                </a>
              </td>
              <td class="hash">
                <Marked text={row.swap.destination_address} part={search} isShort />
              </td>
              <td>
                <Sent row={row} />
              </td>
              <td>
                <Received row={row} />
              </td>
              <td>
                <Status row={row} />
              </td>
              <td>{row.swap.metadata.reference_id ?? '—'}</td>
              <td class="soft nowrap">
                <Age iso={row.swap.created_date} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

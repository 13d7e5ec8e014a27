/** Swaps as rows of the console, with the searched part marked. */
import { operator as text } from '../../text/en/operator.ts'
import { Icon } from '../../ui/icon.tsx'
import { Received, Sent } from '../../ui/swap-leg.tsx'
import { Age } from '../../ui/swap-list.tsx'
import { Marked } from '../lists/marked.tsx'
import type { ConsoleRow } from '../shell/reports.ts'
import { ConsoleStatus } from './console-status.tsx'

export function SwapRows({ rows, search }: { rows: readonly ConsoleRow[]; search: string }) {
  const { heads } = text.allSwaps
  return (
    <>
      <ul class="swap-cards only-phone">
        {rows.map((row) => (
          <li key={row.swap.id}>
            <a class="card swap-card-row" href={`/operator/swap/${row.swap.id}`}>
              <span class="row between">
                <ConsoleStatus row={row} />
                <span class="soft small">
                  <Age iso={row.swap.created_date} />
                </span>
              </span>
              <span class="swap-pair">
                <Sent row={row} isBrief />
                <Icon name="arrow" />
                <Received row={row} isBrief />
              </span>
              <span class="row between hash">
                <Marked text={row.swap.id.slice(0, 8)} part={search.slice(0, 8)} />
                <Marked text={row.swap.destination_address} part={search} isShort />
              </span>
              {row.swap.metadata.reference_id && <span class="soft small">{row.swap.metadata.reference_id}</span>}
            </a>
          </li>
        ))}
      </ul>
      <div class="card swap-list scroll only-desktop">
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
                  <Sent row={row} isBrief />
                </td>
                <td>
                  <Received row={row} isBrief />
                </td>
                <td>
                  <ConsoleStatus row={row} />
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
    </>
  )
}

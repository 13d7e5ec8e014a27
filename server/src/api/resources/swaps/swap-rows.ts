/**
 * The response of a list, in UTF-8. Each row is cached like the swap's own response and dropped with it, so a list reads
 * only the swaps that have changed. Equal lists at the same time share one response.
 */
import type { Services } from '../../../services.ts'
import { listSwapIds, type SwapFilter } from '../../../store/swaps/swap-list.ts'
import { readSwapView, type SwapView } from '../../../store/swaps/swap-read.ts'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { createSharedReads } from '../../cache/shared-reads.ts'
import { toJson } from '../../http/json.ts'

const [OPEN, COMMA, CLOSE] = [Buffer.from('{"data":['), Buffer.from(','), Buffer.from(']}')]

/** The response of an empty list. */
export const NO_ROWS = Buffer.concat([OPEN, CLOSE])

/** `variant`: everything besides the swap that a row depends on. */
export type SwapRows = (list: {
  filter: SwapFilter
  variant: string
  present(view: SwapView): object
}) => Promise<Buffer>

export function createSwapRows(
  { reading, catalogue }: Pick<Services, 'reading' | 'catalogue'>,
  answers: ResponseCache,
): SwapRows {
  const shared = createSharedReads<Buffer>()
  return ({ filter, variant, present }) => {
    const makeRow = async (id: string) => {
      const view = await readSwapView(reading, catalogue, id)
      return { text: view ? toJson(present(view)) : '', isClosed: view?.swap.closedAt != null }
    }
    return shared(`${variant} ${JSON.stringify(filter)}`, async () => {
      const ids = await listSwapIds(reading, catalogue, filter)
      const rows = await Promise.all(ids.map((id) => answers.get(id, variant, () => makeRow(id))))
      const parts = rows.filter((row) => row.length > 0).flatMap((row, index) => (index === 0 ? [row] : [COMMA, row]))
      return Buffer.concat([OPEN, ...parts, CLOSE])
    })
  }
}

/**
 * The response of a list, in UTF-8. Each row is cached like the swap's own response and dropped with it, so a list reads
 * only the swaps that have changed.
 */
import type { Services } from '../../../services.ts'
import { readSwapView, type SwapView } from '../../../store/swaps/swap-read.ts'
import type { ResponseCache } from '../../cache/response-cache.ts'
import { toJson } from '../../http/json.ts'

const [OPEN, COMMA, CLOSE] = [Buffer.from('{"data":['), Buffer.from(','), Buffer.from(']}')]

/** `variant`: everything besides the swap that a row depends on. */
export async function listOf(
  { reading, catalogue }: Pick<Services, 'reading' | 'catalogue'>,
  answers: ResponseCache,
  { ids, variant, present }: { ids: string[]; variant: string; present(view: SwapView): object },
): Promise<Buffer> {
  const makeRow = async (id: string) => {
    const view = await readSwapView(reading, catalogue, id)
    return { text: view ? toJson(present(view)) : '', isClosed: view?.swap.closedAt != null }
  }
  const rows = await Promise.all(ids.map((id) => answers.get(id, variant, () => makeRow(id))))
  const parts = rows.filter((row) => row.length > 0).flatMap((row, index) => (index === 0 ? [row] : [COMMA, row]))
  return Buffer.concat([OPEN, ...parts, CLOSE])
}

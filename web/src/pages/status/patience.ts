/** How long a swap takes compared with the usual time, why it waits, and what happens then. */
import type { SwapDetails, SwapProgress } from '@causeway/sdk/light'
import { visible } from '../../money/format.ts'
import { formatTime } from '../../money/format-time.ts'
import { status as text } from '../../text/texts.ts'

/** Why it waits, and what happens then. */
export function patience(
  { destination_network }: SwapDetails['swap'],
  progress: SwapProgress | null,
  now: number,
  gets: string,
): (string | null)[] {
  if (!progress) return []
  const network = visible(destination_network.display_name)
  const held = {
    review: text.held(gets),
    paused: text.paused(network),
    liquidity: text.liquidity,
    node: text.node(network),
    deposit: text.blockReplaced,
  }
  const elapsed = elapsedSeconds(progress, now)
  const usual = progress.p95_seconds ?? progress.usual_seconds * 3
  const isLong = elapsed !== null && elapsed > Math.max(usual, 10)
  return [
    progress.held && held[progress.held],
    isLong && !progress.held ? text.longer : null,
    progress.gives_up_at ? text.givesUp(formatTime(progress.gives_up_at)) : null,
  ]
}

export function elapsedSeconds({ deposit_seen_at: seen }: SwapProgress, now: number): number | null {
  return seen === null ? null : Math.max(0, (now - Date.parse(seen)) / 1000)
}

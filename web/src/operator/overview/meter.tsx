/** A wallet's value between its minimum and its maximum, both with words. */
import { formatUsd, formatUsdShort } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import type { Overview } from '../shell/answers.ts'

const WIDTH = 1000
/** The largest limit is at this share of the width, so that more than it can be seen. */
const LIMIT_SHARE = 0.8

/** A label is centred below its tick. Near the ends it would leave the card, so it is aligned with the end. */
function placeOf(share: number): string {
  return share < 0.15 ? 'starts' : share > 0.85 ? 'ends' : ''
}

export function Meter({ row, usd }: { row: Overview['wallets'][number]; usd: number }) {
  const limits = [
    { usd: row.floor, words: text.floorShort },
    { usd: row.ceiling, words: text.ceilingShort },
  ].flatMap((limit) => (limit.usd === null ? [] : [{ usd: limit.usd, words: limit.words }]))
  // Without a maximum, four times the minimum is plenty.
  const largest = Math.max(row.ceiling ?? 0, row.floor ?? 0)
  const most = Math.max(1, row.ceiling === null ? largest * 4 : largest / LIMIT_SHARE)
  const at = (value: number) => Math.min(1, value / most) * WIDTH
  const tone = row.is_low ? 'low' : row.ceiling !== null && usd > row.ceiling ? 'high' : ''
  const spoken = [formatUsd(usd), ...limits.map((limit) => limit.words(formatUsd(limit.usd)))].join(', ')
  return (
    <div class={`level ${tone}`}>
      <meter class="out-of-sight" min={0} max={Math.max(most, usd)} value={usd} aria-label={spoken} />
      <svg viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none" aria-hidden="true">
        <rect class="level-all" x={0} y={4} width={WIDTH} height={8} />
        <rect class="level-now" x={0} y={4} width={at(usd)} height={8} />
        {limits.map((limit) => (
          <rect key={limit.usd} class="level-mark" x={at(limit.usd) - 2} y={0} width={4} height={16} />
        ))}
      </svg>
      <span class="level-labels tiny faint" aria-hidden="true">
        {limits.map((limit) => {
          const share = at(limit.usd) / WIDTH
          return (
            <span key={limit.usd} class={placeOf(share)} style={{ left: `${share * 100}%` }}>
              {limit.words(formatUsdShort(limit.usd))}
            </span>
          )
        })}
      </span>
    </div>
  )
}

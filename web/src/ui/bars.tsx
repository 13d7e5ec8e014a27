/** A small bar chart, drawn as SVG. Its numbers are also in a table next to it. */
export interface Bar {
  name: string
  value: number
}

const [WIDTH, HEIGHT, LEFT, BELOW, ABOVE] = [560, 200, 56, 24, 20]
const LINES = 4

export function Bars({
  bars,
  label,
  short,
}: {
  bars: readonly Bar[]
  label: string
  short: (value: number) => string
}) {
  const most = roundUp(Math.max(0, ...bars.map(({ value }) => value)))
  const y = (value: number) => HEIGHT - BELOW - (value / most) * (HEIGHT - BELOW - ABOVE)
  const step = (WIDTH - LEFT) / Math.max(1, bars.length)
  const last = bars.at(-1)
  const lines = Array.from({ length: LINES + 1 }, (_, at) => (most / LINES) * at)
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {lines.map((value) => (
        <g key={value}>
          <line class="bars-line" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {short(value)}
          </text>
        </g>
      ))}
      {bars.map(({ name, value }, at) => (
        <g key={name}>
          <rect
            class={at === bars.length - 1 ? 'bar-now' : 'bar-past'}
            x={LEFT + at * step + step * 0.15}
            y={y(value)}
            width={step * 0.7}
            height={HEIGHT - BELOW - y(value)}
            rx={3}
          >
            <title>{`${name}: ${short(value)}`}</title>
          </rect>
          {at % 4 === (bars.length - 1) % 4 && (
            <text x={LEFT + (at + 0.5) * step} y={HEIGHT - 6} text-anchor={at === bars.length - 1 ? 'end' : 'middle'}>
              {name}
            </text>
          )}
        </g>
      ))}
      {last && last.value > 0 && (
        <text class="bars-now" x={WIDTH} y={y(last.value) - 6} text-anchor="end">
          {short(last.value)}
        </text>
      )}
    </svg>
  )
}

/** 1, 2 or 5 times a power of ten, so that the lines are round numbers. */
function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const digit = [1, 2, 4, 5, 10].find((each) => each * power >= value) ?? 10
  return digit * power
}

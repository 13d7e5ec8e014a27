/** A line chart over time (uPlot) in the theme's colours. Its numbers are also in a table next to it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { formatUsdShort } from '../money/format.ts'
import { formatTick } from '../money/format-time.ts'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 200

export function Chart({ times, values, label }: { times: number[]; values: number[]; label: string }) {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  useEffect(() => {
    const element = place.current
    if (!element || times.length === 0) return
    const style = getComputedStyle(element)
    const font = `12px ${style.fontFamily}`
    const axis = {
      stroke: style.color,
      font,
      gap: 8,
      grid: { stroke: 'rgba(128,128,128,.2)', width: 1 },
      ticks: { show: false },
    }
    const line = style.borderTopColor
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
        axes: [
          {
            ...axis,
            space: 72,
            values: (_plot, ticks, _at, _space, step) => ticks.map((tick) => formatTick(tick * 1000, step * 1000)),
          },
          { ...axis, size: 56, values: (_plot, ticks) => ticks.map((tick) => formatUsdShort(tick)) },
        ],
        series: [{}, { label, stroke: line, width: 2, fill: `color-mix(in srgb, ${line} 15%, transparent)` }],
      },
      [times, values],
      element,
    )
    const fit = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    fit.observe(element)
    return () => {
      fit.disconnect()
      plot.destroy()
    }
  }, [times.join(), values.join(), theme])
  return <div class="chart" ref={place} aria-hidden="true" />
}

/** A canvas has no styles, so it is redrawn when the theme changes, by choice or by the system. */
function useTheme(): number {
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const changed = () => setTurn((before) => before + 1)
    const system = matchMedia('(prefers-color-scheme: dark)')
    const chosen = new MutationObserver(changed)
    system.addEventListener('change', changed)
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      system.removeEventListener('change', changed)
      chosen.disconnect()
    }
  }, [])
  return turn
}

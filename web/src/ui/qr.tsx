/** A QR code, drawn as one path. Dark on light in both themes, because cameras need it. */
import { encode } from 'uqr'

export function Qr({ text, name }: { text: string; name: string }) {
  const { data, size } = encode(text, { border: 1, ecc: 'M' })
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <figure class="qr">
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={name} shape-rendering="crispEdges">
        <path d={path} fill="#000" />
      </svg>
    </figure>
  )
}

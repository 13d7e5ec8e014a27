/**
 * A QR code, drawn as one path, with a token's logo in its middle if one is given. Dark on light in both themes, because cameras need
 * it. Its library loads when needed.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Logo } from './logo.tsx'

interface Drawn {
  size: number
  path: string
}

/** The share of the width that the logo takes. Level Q restores a quarter of the code; the logo hides five percent. */
const LOGO = 0.22

/** `text`: null while it is not known; its place is kept. */
export function Qr({ text, name, logo }: { text: string | null; name: string; logo?: string }) {
  const drawn = useSignal<Drawn | null>(null)
  useEffect(() => {
    let isStopped = false
    if (text === null) return
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { border: 1, ecc: logo ? 'Q' : 'M' })
      // Whole modules are left out, so that none is cut by the logo.
      const hidden = (at: number) => logo !== undefined && Math.abs(at + 0.5 - size / 2) < (size * LOGO) / 2
      const path = data
        .flatMap((row, y) => row.map((isDark, x) => (isDark && !(hidden(x) && hidden(y)) ? `M${x} ${y}h1v1h-1z` : '')))
        .join('')
      if (!isStopped) drawn.value = { size, path }
    })
    return () => {
      isStopped = true
    }
  }, [text])
  return (
    <figure class="qr">
      {drawn.value && (
        <>
          <svg
            viewBox={`0 0 ${drawn.value.size} ${drawn.value.size}`}
            role="img"
            aria-label={name}
            shape-rendering="crispEdges"
          >
            <path d={drawn.value.path} fill="#000" />
          </svg>
          {logo && <Logo token={logo} />}
        </>
      )}
    </figure>
  )
}

/** A QR code, drawn as one path. Dark on light in both themes, because cameras need it. Its library loads when needed. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Drawn {
  size: number
  path: string
}

/** `text`: null while it is not known; its place is kept. */
export function Qr({ text, name }: { text: string | null; name: string }) {
  const drawn = useSignal<Drawn | null>(null)
  useEffect(() => {
    let isStopped = false
    if (text === null) return
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { border: 1, ecc: 'M' })
      const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
      if (!isStopped) drawn.value = { size, path }
    })
    return () => {
      isStopped = true
    }
  }, [text])
  return (
    <figure class="qr">
      {drawn.value && (
        <svg
          viewBox={`0 0 ${drawn.value.size} ${drawn.value.size}`}
          role="img"
          aria-label={name}
          shape-rendering="crispEdges"
        >
          <path d={drawn.value.path} fill="#000" />
        </svg>
      )}
    </figure>
  )
}

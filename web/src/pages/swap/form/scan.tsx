/** Scans an address with the camera. Only if the browser has a built-in barcode detector, so no library is loaded. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { shell, swap as text } from '../../../text/texts.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Sheet } from '../../../ui/sheet.tsx'

interface Detector {
  detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]>
}
type DetectorClass = new (options: { formats: string[] }) => Detector

const LOOK_MS = 200

export function ScanButton({ onRead }: { onRead: (text: string) => void }) {
  const isOpen = useSignal(false)
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass }
  if (!BarcodeDetector || !navigator.mediaDevices?.getUserMedia) return null
  const take = (read: string) => {
    isOpen.value = false
    onRead(read)
  }
  return (
    <>
      <IconButton name={text.scan} icon="scan" onClick={() => (isOpen.value = true)} />
      {isOpen.value && <Scanner with={BarcodeDetector} onRead={take} onClose={() => (isOpen.value = false)} />}
    </>
  )
}

function Scanner(props: { with: DetectorClass; onRead: (text: string) => void; onClose: () => void }) {
  const video = useRef<HTMLVideoElement>(null)
  const isRefused = useSignal(false)
  useEffect(() => {
    const stopped = new AbortController()
    void scan(new props.with({ formats: ['qr_code'] }), video.current, stopped.signal)
      .then((read) => read !== null && props.onRead(read))
      .catch(() => (isRefused.value = true))
    return () => stopped.abort()
  }, [])
  return (
    <Sheet title={text.scanTitle} closeLabel={shell.close} onClose={props.onClose}>
      {isRefused.value ? (
        <Notice tone="warn">{text.scanRefused}</Notice>
      ) : (
        <video ref={video} class="scanner" muted playsInline aria-label={text.scanTitle} />
      )}
    </Sheet>
  )
}

/** The first code found; null if it was stopped. The camera is released in any case. */
async function scan(detector: Detector, video: HTMLVideoElement | null, stopped: AbortSignal): Promise<string | null> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  try {
    if (video) video.srcObject = stream
    await video?.play()
    while (video && !stopped.aborted) {
      const [code] = await detector.detect(video)
      if (code?.rawValue) return code.rawValue
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return null
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

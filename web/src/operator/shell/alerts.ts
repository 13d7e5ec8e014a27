/**
 * Alerts on every console page: by an event stream, by polling if there is none, and announced to screen readers. A
 * sound only if the operator turned it on.
 */
import { signal } from '@preact/signals'
import { announce } from '../../app/announce.tsx'
import { operator as text } from '../../text/en/operator.ts'
import type { Overview } from './answers.ts'
import { loadOverview, seat, wasAway } from './calls.ts'

export const overview = signal<Overview | null>(null)
/** Why there is no newer overview; null while it is current. */
export const trouble = signal<string | null>(null)
export const hasSound = signal(false)

const AGAIN_MS = 5_000
const BEEP_SECONDS = 0.18

let known: ReadonlySet<string> | null = null
let audio: AudioContext | null = null

function takeOverview(now: Overview): void {
  trouble.value = null
  overview.value = now
  const alerts = alertsIn(now)
  const fresh = known === null ? [] : [...alerts].filter(([key]) => !known?.has(key)).map(([, words]) => words)
  known = new Set(alerts.keys())
  if (fresh.length === 0) return
  announce(text.newAlerts(fresh.length, fresh[0] ?? ''))
  if (hasSound.value) beep()
}

/** Alerts by key: a key that was not there before is announced. */
function alertsIn({ waiting, halted }: Overview): Map<string, string> {
  return new Map([
    ...waiting.map(({ kind, id, reason }): [string, string] => [`${kind} ${id}`, reason]),
    ...halted.map(({ network, account, reason }): [string, string] => [`halt ${network} ${account}`, reason]),
  ])
}

export async function look(): Promise<void> {
  try {
    takeOverview(await loadOverview())
  } catch (error) {
    trouble.value = error instanceof Error ? error.message : String(error)
  }
}

/** Watches alerts until the returned function is called. */
export function watchAlerts(): () => void {
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let stream: EventSource | null = null
  const open = () => {
    if (isOver) return
    stream = new EventSource('/operator/api/alerts')
    stream.addEventListener('message', (event) => takeOverview(JSON.parse((event as MessageEvent<string>).data)))
    stream.addEventListener('gone', () => {
      wasAway.value = true
      seat.value = null
    })
    stream.addEventListener('error', () => {
      stream?.close()
      if (isOver) return
      void look()
      timer = setTimeout(open, AGAIN_MS)
    })
  }
  open()
  return () => {
    isOver = true
    clearTimeout(timer)
    stream?.close()
    overview.value = null
    known = null
  }
}

/** A browser allows sound only after a user gesture: this click is it. */
export function toggleSound(): void {
  hasSound.value = !hasSound.value
  if (!hasSound.value) return
  audio ??= new AudioContext()
  void audio.resume()
  beep()
}

function beep(): void {
  if (!audio) return
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()]
  loudness.gain.value = 0.1
  tone.frequency.value = 880
  tone.connect(loudness).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + BEEP_SECONDS)
}

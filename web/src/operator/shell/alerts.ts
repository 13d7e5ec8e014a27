/**
 * What a person must know, in whichever room they are: it comes by a stream, by asking where there is none, and is said aloud.
 * A sound only where somebody asked for it.
 */
import { signal } from '@preact/signals'
import { announce } from '../../app/announce.tsx'
import { operator as text } from '../../text/en.ts'
import { loadOverview, type Overview, seat, wasAway } from './calls.ts'

export const overview = signal<Overview | null>(null)
/** Why there is no newer one. */
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

/** What is new in it wants somebody's eyes. */
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

/** From now on, until the answer is called. */
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

/** A browser lets a page sound only after somebody has touched it: this is that touch. */
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

/** The current time by the server's clock, updated every second while a component shows it. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** How far the server's clock is ahead of this machine's, in milliseconds. */
const ahead = signal(0)
const ticks = signal(Date.now())
let lookers = 0
let timer: ReturnType<typeof setInterval> | undefined

export function setServerTime(iso: string): void {
  ahead.value = Date.parse(iso) - Date.now()
}

export function useNow(): number {
  useEffect(() => {
    lookers += 1
    timer ??= setInterval(() => {
      ticks.value = Date.now()
    }, 1_000)
    return () => {
      lookers -= 1
      if (lookers > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }, [])
  return ticks.value + ahead.value
}

/** Formats times in the language of the page. */
import { locale } from '../text/language.ts'
import { units } from '../text/texts.ts'
import { formatCount } from './format.ts'

export function formatSeconds(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds))
  if (rounded < 60) return units.seconds(formatCount(rounded))
  const minutes = Math.round(rounded / 60)
  if (minutes < 120) return units.minutes(formatCount(minutes))
  return units.hours(formatCount(Math.round(minutes / 60)))
}

/** `Intl.RelativeTimeFormat` has no form as short as this one. */
export function formatAge(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds))
  if (rounded === 0) return units.justNow
  if (rounded < 172_800) return units.ago(formatSeconds(rounded))
  return units.ago(units.days(formatCount(Math.round(rounded / 86_400))))
}

/** A countdown: `14:32`, or `5 h` if there is that much time. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds >= 3600) return formatSeconds(seconds)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** A duration, at least one second. */
export function formatTook(seconds: number): string {
  return formatSeconds(Math.max(1, seconds))
}

/** Converts `00:00:38` to seconds. */
export function secondsOf(span: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = span.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

/** Times have the locale's own style everywhere: `9:05 AM`, `9:05` or `09:05`. */
export function formatTime(iso: string): string {
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday
    ? date.toLocaleTimeString(locale, { timeStyle: 'short' })
    : date.toLocaleString(locale, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' })
}

/** A time of day with seconds, for the steps of a swap. */
export function formatClock(iso: string): string {
  return new Date(iso).toLocaleTimeString(locale, { timeStyle: 'medium' })
}

export function formatDay(iso: string): string {
  return new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
}

const DAY_MS = 86_400_000

/** A tick of a chart: the day if ticks are at least a day apart or this one is at midnight, else the time. */
export function formatTick(time: number, stepMs: number): string {
  const date = new Date(time)
  const isDay = stepMs >= DAY_MS || (date.getHours() === 0 && date.getMinutes() === 0)
  return isDay ? date.toLocaleDateString(locale, { day: 'numeric', month: 'short' }) : formatHour(date)
}

/** `4 AM` or `4:30 AM`. Where the hour alone would be a bare number, it has its minutes: `4:00`. */
function formatHour(date: Date): string {
  const hour = date.toLocaleTimeString(locale, { hour: 'numeric' })
  const isClear = date.getMinutes() === 0 && !/^\d+$/.test(hour)
  return isClear ? hour : date.toLocaleTimeString(locale, { hour: 'numeric', minute: '2-digit' })
}

/** A day such as `2026-11-18`, which is one of UTC. */
export function formatDate(day: string): string {
  return new Date(day).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

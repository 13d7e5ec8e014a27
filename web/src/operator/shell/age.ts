/** The age of something, by the service's clock. */
import { formatAge, formatSeconds } from '../../money/format-time.ts'
import { capital } from '../lists/words.ts'

export function ageOf(now: string, since: string): string {
  return formatSeconds(Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000))
}

/** The same as a text of its own: `Just now`, or `40 s ago`. */
export function agoOf(now: string, since: string): string {
  return capital(formatAge((Date.parse(now) - Date.parse(since)) / 1000))
}

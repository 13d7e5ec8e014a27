/** The age of something, by the service's clock. */
import { formatSeconds } from '../../money/format-time.ts'

export function ageOf(now: string, since: string): string {
  return formatSeconds(Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000))
}

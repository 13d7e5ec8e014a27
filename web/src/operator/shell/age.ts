/** How long ago something was, by the service's own clock. */
import { formatSeconds } from '../../money/format.ts'

export function ageOf(now: string, since: string): string {
  return formatSeconds(Math.max(0, (Date.parse(now) - Date.parse(since)) / 1000))
}

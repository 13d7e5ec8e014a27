/** Short units of time, in Spanish. */
import type { units as English } from '../en/units.ts'

export const units: typeof English = {
  seconds: (count) => `${count} s`,
  minutes: (count) => `${count} min`,
  hours: (count) => `${count} h`,
  days: (count) => `${count} d`,
  justNow: 'ahora mismo',
  ago: (time) => `hace ${time}`,
}

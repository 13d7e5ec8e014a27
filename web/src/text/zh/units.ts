/** Short units of time, in Chinese. */
import type { units as English } from '../en/units.ts'

export const units: typeof English = {
  seconds: (count) => `${count} 秒`,
  minutes: (count) => `${count} 分钟`,
  hours: (count) => `${count} 小时`,
  days: (count) => `${count} 天`,
  justNow: '刚刚',
  ago: (time) => `${time}前`,
}

/** Short units of time. */
export const units = {
  seconds: (count: string) => `${count} s`,
  minutes: (count: string) => `${count} min`,
  hours: (count: string) => `${count} h`,
  days: (count: string) => `${count} d`,
  justNow: 'just now',
  ago: (time: string) => `${time} ago`,
}

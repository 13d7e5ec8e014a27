/** The public status page: what the service itself measures. */
import { plural } from './plural.ts'

export const serviceStatus = {
  title: 'Status',
  allUp: 'All networks running',
  trouble: (count: number) => `${count} ${plural(count, 'network has', 'networks have')} a problem`,
  paused: 'Some swaps are paused',
  unknown: 'No network has been checked yet',
  outOfDate: 'Status is out of date',
  lead: 'Each network is checked once a minute. A missed check counts as downtime.',
  checked: (age: string) => `Checked ${age}.`,
  stale: (age: string) => `The last check was ${age}. The service may be down.`,
  network: 'Network',
  state: 'Now',
  history: (days: number) => `Last ${days} days`,
  uptime: 'Uptime',
  lastBlock: 'Last block',
  states: { up: 'Working', behind: 'Behind', down: 'Not readable', paused: 'Paused', unknown: 'Not checked' },
  day: (day: string, share: string) => `${day}: ${share}`,
  noData: (day: string) => `${day}: not measured`,
  since: (day: string) => `Measured since ${day}.`,
  sinceDay: (day: string) => `Since ${day}`,
  routes: 'Route health',
}

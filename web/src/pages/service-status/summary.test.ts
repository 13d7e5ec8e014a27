/** The headline of the status page never claims more than was checked. */
import type { ServiceStatus } from '@causeway/sdk/light'
import { expect, test } from 'vitest'
import { summaryOf } from './summary.ts'

function told(checked_at: string, states: string[]): ServiceStatus {
  const networks = states.map((state) => ({ state }))
  return { now: '2026-11-19T12:00:00.000Z', checked_at, networks } as unknown as ServiceStatus
}

test.each([
  ['12:00', ['up', 'up'], false, 'good', 'All networks running'],
  ['12:00', ['up', 'behind'], false, 'bad', '1 network has a problem'],
  ['12:00', ['up'], true, 'warn', 'Some swaps are paused'],
  ['12:00', ['unknown'], false, 'warn', 'No network has been checked yet'],
  ['11:50', ['up', 'up'], false, 'warn', 'Status is out of date'],
  ['11:50', ['up', 'down'], false, 'warn', 'Status is out of date'],
])('checked at %s, %s', (time, states, isPaused, tone, heading) => {
  expect(summaryOf(told(`2026-11-19T${time}:00.000Z`, states), isPaused)).toMatchObject({ tone, heading })
})

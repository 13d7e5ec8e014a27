/** No client, with any number of addresses, prevents others from following their swaps. */
import { expect, test } from 'vitest'
import { createConnectionQuota } from '../../../server/src/api/access/connection-quota.ts'

/** Ten places, at most five per client. */
function world() {
  const ended: string[] = []
  const shares = createConnectionQuota<string>(10, (place) => ended.push(place))
  const take = (client: string, n: number) => shares.take(client, 5, `${client}${n}`)
  return { ended, shares, take }
}

test('a client has its own quota of streams, even if all others are used up', () => {
  const { take, shares } = world()
  expect([1, 2, 3, 4, 5, 6].map((n) => take('a', n))).toEqual([true, true, true, true, true, false])
  shares.leave('a', 'a1')
  expect(take('a', 7)).toBe(true)
})

test('if a few clients hold all places, a new one gets the oldest of the largest client', () => {
  const { take, ended, shares } = world()
  for (const client of ['a', 'b']) for (let n = 0; n < 5; n++) take(client, n)
  expect(take('victim', 1)).toBe(true)
  expect(take('victim', 2)).toBe(true)
  expect(ended).toEqual(['a0', 'b0'])
  expect([...shares.all()]).toHaveLength(10)
  // A client gets at most an equal share: otherwise two clients would evict each other for ever.
  expect(take('victim', 3)).toBe(true)
  expect(take('victim', 4)).toBe(false)
  expect([shares.of('a'), shares.of('b'), shares.of('victim')].sort()).toEqual([3, 3, 4])
})

test('an attacker with many addresses leaves one place to each other client', () => {
  const { take, ended } = world()
  for (let n = 0; n < 10; n++) take(`bot${n % 5}`, n)
  expect(take('victim', 1)).toBe(true)
  expect(ended).toHaveLength(1)
})

test('a connection that is closed twice counts once', () => {
  const { take, shares } = world()
  take('a', 1)
  shares.leave('a', 'a1')
  shares.leave('a', 'a1')
  expect([shares.of('a'), [...shares.all()].length]).toEqual([0, 0])
})

test('an attacker with one IPv6 /48, a stream from each of its networks, leaves places to others', () => {
  const { take, ended, shares } = world()
  for (let n = 0; n < 10; n++) take(`2001:db8:7:${n}00::/64`, 1)
  for (const client of ['203.0.113.9', '2001:db8:8:1::/64', 'key 2001:db8:9:1::/64'])
    expect(take(client, 1), client).toBe(true)
  expect([ended.length, [...shares.all()].length]).toEqual([3, 10])
  // Nor does it take a place back.
  expect(take('2001:db8:7:a00::/64', 1)).toBe(false)
  expect(ended.filter((place) => !place.startsWith('2001:db8:7:'))).toEqual([])
})

test('a whole IPv6 /56 has four times the streams of a client, a /48 sixteen times', () => {
  const shares = createConnectionQuota<string>(10_000, () => undefined)
  const opened = (clients: string[]) => clients.filter((client) => shares.take(client, 20, client)).length
  const hex = (from: number) => Array.from({ length: 256 }, (_, n) => (from * 256 + n).toString(16))
  expect(opened(hex(1).map((subnet) => `2001:db8:7:${subnet}::/64`))).toBe(80)
  expect(opened([2, 3, 4, 5].flatMap((from) => hex(from).map((subnet) => `2001:db8:7:${subnet}::/64`)))).toBe(240)
  expect(opened(['2001:db8:8:1::/64', '203.0.113.9'])).toBe(2)
  shares.leave('2001:db8:7:100::/64', '2001:db8:7:100::/64')
  expect(opened(['2001:db8:7:900::/64', '2001:db8:7:a00::/64'])).toBe(1)
})

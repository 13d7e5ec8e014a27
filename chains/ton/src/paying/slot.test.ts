import { describe, expect, test } from 'vitest'
import { nextQuery, queryOf, slotOf } from './slot.ts'

/** At two per second, this is the time of the very first id. */
const NOW = 214 * 8_192 * 1_023
const after = (...ids: number[]) =>
  nextQuery(
    ids.map((id) => slotOf({ id, createdAt: NOW })),
    NOW,
  ).id

describe('query ids', () => {
  test('the next one lies behind the newest, whatever order they come in', () => {
    expect(after(5)).toBe(6)
    expect(after(7, 5, 6)).toBe(8)
    expect(after(5, 7)).toBe(8)
  })

  test('a shift holds 1023 of them, and after the last one comes the first', () => {
    expect(after(1_022)).toBe(1_024)
    expect(after(8_191 * 1_024 + 1_022)).toBe(0)
    expect(after(8_191 * 1_024 + 1_022, 0)).toBe(1)
    expect(after(0, 8_191 * 1_024 + 1_022)).toBe(1)
  })

  test('a first one is ahead of all that two a second could have used up in the hour before', () => {
    const early = nextQuery([], NOW).id
    const late = nextQuery([], NOW + 3_600).id
    const ordinal = (id: number) => Math.floor(id / 1_024) * 1_023 + (id % 1_024)
    expect(ordinal(late)).toBe(ordinal(early) + 7_200)
    expect(late % 1_024).toBeLessThan(1_023)
  })

  test('a restored database allocates no id that two per second could have used since', () => {
    const remembered = slotOf(nextQuery([], NOW))
    const ordinal = (id: number) => Math.floor(id / 1_024) * 1_023 + (id % 1_024)
    expect(ordinal(nextQuery([remembered], NOW + 600).id)).toBe(ordinal(queryOf(remembered).id) + 1_200)
    expect(ordinal(nextQuery([remembered], NOW).id)).toBe(ordinal(queryOf(remembered).id) + 1)
  })

  test('a slot reads back as the query it was written for, and nothing else is one', () => {
    expect(queryOf(slotOf({ id: 8_388_606, createdAt: NOW }))).toEqual({ id: 8_388_606, createdAt: NOW })
    for (const slot of [[], ['5'], ['5@'], ['5@1', '6@1'], ['-5@1']]) expect(() => queryOf(slot)).toThrow('not a slot')
  })
})

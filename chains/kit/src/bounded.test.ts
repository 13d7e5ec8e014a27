import { describe, expect, it } from 'vitest'
import { boundedMap, boundedSet } from './bounded.ts'

describe('a bounded map', () => {
  it('drops the oldest entry beyond its bound', () => {
    const map = boundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3)
    expect([...map]).toEqual([
      ['b', 2],
      ['c', 3],
    ])
  })

  it('keeps an entry its age when it is overwritten, and drops no other for it', () => {
    const map = boundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3)
    expect([...map.keys()]).toEqual(['a', 'b'])
    expect([...map.set('c', 4).keys()]).toEqual(['b', 'c'])
  })

  it('refreshes an entry that is deleted and set again', () => {
    const map = boundedMap<string, number>(2).set('a', 1).set('b', 2)
    map.delete('a')
    map.set('a', 3).set('c', 4)
    expect([...map.keys()]).toEqual(['a', 'c'])
  })

  it('drops keys that are false or undefined like any other', () => {
    const map = boundedMap<unknown, number>(1).set(undefined, 1).set(0, 2).set('', 3)
    expect([...map.keys()]).toEqual([''])
  })
})

describe('a bounded set', () => {
  it('drops the oldest member beyond its bound', () => {
    expect([...boundedSet<number>(2).add(1).add(2).add(3)]).toEqual([2, 3])
  })

  it('drops nothing when a member is added again', () => {
    const set = boundedSet<number>(2).add(1).add(2).add(1)
    expect([...set]).toEqual([1, 2])
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depositsGone } from './gone.ts'

const units = (max: bigint) => fc.bigInt({ min: 1n, max })
const deposits = fc.array(units(100n).map((each) => ({ units: each })))
const sum = (all: readonly { units: bigint }[]) => all.reduce((total, one) => total + one.units, 0n)

test('the deposits that stay cover what is left, and without the oldest of them they would not', () => {
  fc.assert(
    fc.property(deposits, fc.bigInt({ min: -50n, max: 2_000n }), (all, left) => {
      const gone = depositsGone(all, left)
      const kept = all.slice(gone.length)
      expect(gone).toEqual(all.slice(0, gone.length))
      expect(gone.length === 0 || sum(kept) >= left).toBe(true)
      expect(kept.length === 0 || sum(kept.slice(1)) < left).toBe(true)
    }),
  )
})

test('what was swept whole takes every deposit with it', () => {
  fc.assert(
    fc.property(deposits, (all) => {
      expect(depositsGone(all, 0n)).toEqual(all)
    }),
  )
})

test('deposits that the sweep did not take stay, whatever was taken before them', () => {
  fc.assert(
    fc.property(deposits, deposits, (taken, later) => {
      expect(depositsGone([...taken, ...later], sum(later))).toEqual(taken)
    }),
  )
})

test('the last deposit stays as long as one unit of it is there', () => {
  expect(depositsGone([{ units: 50n }], 1n)).toEqual([])
})

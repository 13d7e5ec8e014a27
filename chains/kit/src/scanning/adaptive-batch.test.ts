import { expect, test } from 'vitest'
import { adaptiveBatch, readAdaptively } from './adaptive-batch.ts'

/** A node that needs this long per block. */
function slowly(msABlock: number) {
  const clock = { ms: 0 }
  const pace = adaptiveBatch(64, () => clock.ms)
  const scan = () =>
    readAdaptively(pace, async () => {
      clock.ms += pace.blocks * msABlock
    })
  return { pace, scan }
}

test('a node that takes seconds per block is asked for as many blocks as it can give in time', async () => {
  const { pace, scan } = slowly(2_000)
  for (let i = 0; i < 10; i++) await scan()
  expect(pace.blocks).toBe(4)
})

test('a quick node is asked for all that may be asked at once again', async () => {
  const { pace, scan } = slowly(10)
  pace.blocks = 1
  for (let i = 0; i < 6; i++) await scan()
  expect(pace.blocks).toBe(64)
})

test('what fails is asked for in ever smaller parts, down to one', async () => {
  const pace = adaptiveBatch(40, () => 0)
  const fail = async () => {
    throw new Error('too much')
  }
  const left: number[] = []
  for (let i = 0; i < 7; i++) {
    await expect(readAdaptively(pace, fail)).rejects.toThrow('too much')
    left.push(pace.blocks)
  }
  expect(left).toEqual([20, 10, 5, 2, 1, 1, 1])
})

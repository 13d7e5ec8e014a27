/** A recorded block of a public testnet: the adapter proves and reads it, and the local chain answers in the same form. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapeDifferences } from '../../../../tests/support/chains/recordings.ts'
import { readBlock } from '../../src/block.ts'
import recording from './recordings/block.json' with { type: 'json' }
import { startChain, type Testbed } from './testbed.ts'

const NONE: ReadonlySet<string> = new Set()

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

it('the root over three transactions, an odd number, is proven', () => {
  const block = readBlock(recording.block, NONE)
  expect(block).toMatchObject({ number: 13_232_131n, id: recording.block.blockID, isProven: true })
  expect(block.transactions.map(({ id }) => id)).toEqual(recording.block.transactions.map(({ txID }) => txID))
  expect(block.transactions.map(({ contract, isSuccess }) => [contract?.kind, isSuccess])).toEqual([
    ['transfer', true],
    ['transfer', true],
    ['call', true],
  ])
  expect(Buffer.from(block.transactions[2]?.memo ?? []).toString()).toBe('send to tony')
})

it('a block without its last transaction is not proven', () => {
  const { transactions } = recording.block
  expect(readBlock({ ...recording.block, transactions: transactions.slice(0, 2) }, NONE).isProven).toBe(false)
})

it('the local chain shows a block as java-tron does', async () => {
  await bed.local.transfer(bed.user, bed.native, bed.treasury, 2_000_000n)
  const shown = await bed.ask('wallet/getnowblock')
  expect(shapeDifferences(recording.block, shown)).toEqual([])
})

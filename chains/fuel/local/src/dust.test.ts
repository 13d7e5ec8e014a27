/**
 * Small coins without a reference on the treasury: payouts consolidate them, so that a later large payout needs few
 * inputs.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { coinInputs, parseTransaction } from '../../src/transaction.ts'
import { type Attempt, draw, type Lab, type Opened, openLab, payment } from './testbed.ts'

const [PIECES, UNITS] = [260, 1_000n]

let lab: Lab
let opened: Opened
let recipient: string
beforeAll(async () => {
  lab = await openLab()
  opened = await lab.open('dust')
  recipient = await lab.stranger('dust')
  const owner = opened.adapter.treasury
  await lab.devnet.fund(lab.native, owner, 10n ** 9n)
  const piece = { owner, asset: lab.usdc.contract, units: UNITS.toString() }
  await lab.command('devnet_fund', { coins: Array.from({ length: PIECES }, () => piece) })
  await lab.mine(lab.network.finalDepth)
})
afterAll(() => lab.devnet.stop())

const inputsOf = ({ signed }: Attempt) => {
  const transaction = parseTransaction(signed.bytes)
  return transaction ? coinInputs(transaction).filter(({ asset }) => asset === lab.usdc.contract) : []
}

async function paid(units: bigint): Promise<Attempt> {
  const attempt = await draw(opened.adapter, payment(opened.adapter, [recipient, lab.usdc, units]))
  await opened.adapter.broadcast(attempt.signed)
  await lab.mine(lab.network.finalDepth + 1)
  return attempt
}

it('each payout spends twenty small coins too, until one transaction can fund a large payout', async () => {
  const { adapter } = opened
  const large = payment(adapter, [recipient, lab.usdc, 250_000n])
  await expect(adapter.prepare(large, null)).rejects.toThrow('in more pieces than one transaction can spend')
  for (let time = 0; time < 3; time++) expect(inputsOf(await paid(UNITS))).toHaveLength(21)
  expect(await lab.coins(adapter.treasury, lab.usdc)).toHaveLength(PIECES - 3 * 21 + 3)
  await paid(250_000n)
  expect(await lab.units(recipient, lab.usdc)).toBe(253_000n)
  expect(await lab.units(adapter.treasury, lab.usdc)).toBe(7_000n)
})

it('leaves as many coins as concurrent payouts need', async () => {
  const owner = opened.adapter.treasury
  const held = (await lab.coins(owner, lab.usdc)).length
  const piece = { owner, asset: lab.usdc.contract, units: '9000' }
  await lab.command('devnet_fund', { coins: Array.from({ length: 50 - held }, () => piece) })
  await lab.mine(lab.network.finalDepth)
  expect(inputsOf(await paid(9_000n))).toHaveLength(2)
  expect(inputsOf(await paid(8_000n))).toHaveLength(1)
})

it('consolidates nothing if that would push a payout above the fee limit', async () => {
  const owner = opened.adapter.treasury
  const piece = { owner, asset: lab.usdc.contract, units: '7000' }
  await lab.command('devnet_fund', { coins: Array.from({ length: 100 }, () => piece) })
  await lab.mine(lab.network.finalDepth)
  const order = payment(opened.adapter, [recipient, lab.usdc, 7_000n])
  const dear = await draw(opened.adapter, order)
  expect(inputsOf(dear)).toHaveLength(21)
  const bound = ((dear.signed.feeCeiling ?? 0n) - 1n).toString().padStart(9, '0')
  const { adapter } = await lab.open('dust', { settings: { max_fee: `0.${bound}` } })
  expect(inputsOf(await draw(adapter, order))).toHaveLength(1)
})

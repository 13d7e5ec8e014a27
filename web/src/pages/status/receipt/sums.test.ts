/** A receipt adds up to the cent, whatever happened to the swap. */
import type { SwapDetails, Transaction } from '@causeway/sdk/light'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sumsOf } from './sums.ts'

const ETH = { symbol: 'ETH', decimals: 18, price_in_usd: 3000 }
const USDC = { symbol: 'USDC', decimals: 6, price_in_usd: 1 }

type Given = Partial<Transaction> & Pick<Transaction, 'type' | 'amount'>

function details(transactions: Given[], quote: Partial<SwapDetails['quote']> = {}): SwapDetails {
  const whole = transactions.map((one) => ({ token: one.type === 'output' ? USDC : ETH, usd_price: null, ...one }))
  const usual = { requested_amount: 0.1, receive_amount: 297.315, blockchain_fee: 0.000795, service_fee: 0.0001 }
  return {
    swap: { transactions: whole, legs: [], source_token: ETH, destination_token: USDC },
    quote: { ...usual, refuel_in_source: 0, ...quote },
  } as unknown as SwapDetails
}

test('sent less fees is what arrived', () => {
  const sums = sumsOf(
    details([
      { type: 'input', amount: 0.1 },
      { type: 'output', amount: 297.315 },
    ]),
  )
  expect(sums).toMatchObject({ sentCents: 30_000, networkCents: 239, serviceCents: 30, differenceCents: 0 })
  expect(sums.receivedCents).toBe(29_731)
})

test('several deposits are summed exactly', () => {
  expect(
    sumsOf(
      details([
        { type: 'input', amount: 0.05 },
        { type: 'input', amount: 0.1 },
      ]),
    ).sent,
  ).toBe('0.15')
})

test('a deposit that is still held explains why less arrived', () => {
  const both = [
    { type: 'input', amount: 0.1 },
    { type: 'input', amount: 0.1 },
    { type: 'output', amount: 297.315 },
  ] as const
  expect(sumsOf(details([...both]), 0.1)).toMatchObject({ sentCents: 60_000, heldCents: 30_000, differenceCents: 0 })
  expect(sumsOf(details([...both]))).toMatchObject({ differenceCents: 30_000 })
})

test('a gas top-up, a refund and a moved price have lines of their own', () => {
  const topUp = sumsOf(
    details(
      [
        { type: 'input', amount: 0.2 },
        { type: 'output', amount: 595.82601 },
      ],
      {
        blockchain_fee: 0.000858,
        service_fee: 0.0002,
        refuel_in_source: 0.00033333,
      },
    ),
  )
  expect(topUp).toMatchObject({ refuelCents: 100, differenceCents: 0 })
  const moved = sumsOf(
    details([
      { type: 'input', amount: 0.1 },
      { type: 'output', amount: 295 },
    ]),
  )
  expect(moved).toMatchObject({ networkCents: 239, differenceCents: 231 })
  const back = sumsOf(
    details([
      { type: 'input', amount: 0.1 },
      { type: 'input', amount: 0.1 },
      { type: 'output', amount: 297.315 },
      { type: 'refund', amount: 0.0996 },
    ]),
  )
  expect(back).toMatchObject({ backCents: 29_880, differenceCents: 120 })
})

test('the prices are those of the swap, not of today', () => {
  const today = details([
    { type: 'input', amount: 0.1, usd_price: 1500 },
    { type: 'output', amount: 148, usd_price: 1 },
  ])
  expect(sumsOf(today)).toMatchObject({ sentCents: 15_000, receivedCents: 14_800 })
})

test('every receipt adds up', () => {
  const amount = fc.double({ min: 0.0001, max: 50, noNaN: true }).map((one) => Number(one.toFixed(8)))
  fc.assert(
    fc.property(amount, amount, amount, fc.option(amount), (sent, received, fee, back) => {
      const given: Given[] = [
        { type: 'input', amount: sent },
        { type: 'output', amount: Number((received * 3000).toFixed(6)) },
        ...(back === null ? [] : [{ type: 'refund' as const, amount: back }]),
      ]
      const it = sumsOf(details(given, { blockchain_fee: fee / 100, service_fee: fee / 1000 }))
      const parts = it.networkCents + it.serviceCents + it.refuelCents + it.backCents + it.differenceCents
      expect(it.sentCents - parts).toBe(it.receivedCents)
      expect(it.networkCents).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('with an exchange by the depositor, its input is what was sent, not the token that it brought', () => {
  const given = details([
    { type: 'input', amount: 99 },
    { type: 'output', amount: 98 },
  ])
  const legs = [{ type: 'sale', made_by: 'depositor', sold_amount: 0.05 }] as SwapDetails['swap']['legs']
  expect(sumsOf({ ...given, swap: { ...given.swap, legs } })).toMatchObject({ sent: '0.05', received: '98' })
})

/** Balances of addresses when one of them has more coins than can be counted. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Body, endow, type Lab, type Opened, openLab, startProxy } from './testbed.ts'

let lab: Lab
let opened: Opened
beforeAll(async () => {
  lab = await openLab()
  opened = await lab.open('counting')
  await endow(lab, opened.adapter)
})
afterAll(() => lab.devnet.stop())

/** 10,000 and 100,000 coins in full pages. */
const [FEW_PAGES, MOST_PAGES] = [20, 196]

/** A node on which one address has endless dust: one coin of one unit per page. It reports the true sum, or none. */
async function flooded(flooded: string, sum?: (body: Body) => Record<string, unknown>) {
  const counts: Record<string, number> = {}
  const proxy = await startProxy(lab.url, {
    answer: ({ operationName, variables }, body) => {
      if (operationName === 'causewaySum') {
        return sum ? { ...body, data: sum(body) } : { errors: [{ message: 'balances are not indexed' }] }
      }
      if (operationName !== 'causewayCoins') return undefined
      const { owner, assetId } = variables.filter as { owner: string; assetId: string }
      counts[owner] = (counts[owner] ?? 0) + 1
      if (owner !== flooded) return undefined
      const utxoId = `0x${'d5'.repeat(32)}0000`
      const pageInfo = { hasNextPage: true, endCursor: utxoId }
      const node = { utxoId, owner, amount: '1', assetId, blockCreated: '1' }
      return { ...body, data: { coins: { edges: [{ node }], pageInfo } } }
    },
  })
  return { ...proxy, counts }
}

it('on a node without sums endless dust hides no other balance: the counted part has no block', async () => {
  const { treasury } = opened.adapter
  const held = await lab.units(treasury, lab.usdc)
  const deposit = (await opened.adapter.depositAddresses?.derive(7)) ?? ''
  const flood = await flooded(deposit)
  const { adapter, lines } = await lab.open('counting', { nodes: [flood.url] })
  const wanted = [deposit, treasury].map((owner) => ({ owner, token: lab.usdc }))
  expect(await adapter.balances(wanted)).toEqual({ block: null, units: [BigInt(MOST_PAGES), held] })
  // Counted once: another attempt would end the same way.
  expect(flood.counts).toEqual({ [deposit]: FEW_PAGES + MOST_PAGES, [treasury]: 1 })
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'an address has more coins than are counted' }),
  )
  expect(await adapter.balance(deposit, lab.usdc)).toEqual({ token: lab.usdc, units: BigInt(MOST_PAGES) })
  expect((await adapter.balances(wanted.slice(1))).block).not.toBeNull()
  await flood.stop()
})

it("a very large number of coins is reported by the node's sum, at one block, without bridge messages", async () => {
  const { treasury } = opened.adapter
  const held = [await lab.units(treasury), await lab.units(treasury, lab.usdc)]
  const messages = {
    edges: ['30', '7'].map((amount, place) => ({ node: { amount, data: place === 0 ? '0x' : '0x01' } })),
  }
  const pageInfo = { hasNextPage: false, endCursor: null }
  const withMessages = ({ data }: Body) => {
    const { amountU128, ...balance } = data.balance as unknown as { amountU128: string }
    const isBase = 'messages' in data
    if (!isBase) return data
    const sum = (BigInt(amountU128) + 30n).toString()
    return { balance: { ...balance, amountU128: sum }, messages: { ...messages, pageInfo } }
  }
  const flood = await flooded(treasury, withMessages)
  const { adapter, lines } = await lab.open('counting', { nodes: [flood.url] })
  const wanted = [lab.native, lab.usdc].map((token) => ({ owner: treasury, token }))
  const { block, units } = await adapter.balances(wanted)
  expect(units).toEqual(held)
  expect(block).toEqual((await opened.adapter.balances([])).block)
  expect(flood.counts).toEqual({ [treasury]: 2 * FEW_PAGES })
  expect(lines).toEqual([])
  await flood.stop()
})

it('one balance is asked for once, of whatever block it is', async () => {
  const { treasury } = opened.adapter
  const held = await lab.units(treasury, lab.usdc)
  let asked = 0
  const hasty = await startProxy(lab.url, {
    answer: ({ operationName }, body) => {
      if (operationName !== 'causewayCoins') return undefined
      asked += 1
      const extensions = body.extensions as { current_fuel_block_height: number }
      return { ...body, extensions: { current_fuel_block_height: extensions.current_fuel_block_height + 1 } }
    },
  })
  const { adapter } = await lab.open('counting', { nodes: [hasty.url] })
  expect(await adapter.balance(treasury, lab.usdc)).toEqual({ token: lab.usdc, units: held })
  expect(asked).toBe(1)
  expect(await adapter.balances([{ owner: treasury, token: lab.usdc }])).toEqual({ block: null, units: [held] })
  expect(asked).toBe(9)
  await hasty.stop()
})

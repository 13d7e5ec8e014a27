/** The cost of reading balances: anyone may ask for any account, and reconciliation asks for many. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChain } from '../../src/chain.ts'
import { ledgerPage, networkTime, userRole } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { holdings } from '../../src/paying/balance.ts'
import { ONE_USDC, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

/** A gateway that records every request. */
async function counting() {
  const asked: string[] = []
  const proxy = await startProxy(bed.url, ({ type }) => {
    asked.push(type ?? '')
    return undefined
  })
  const adapter = await bed.open({ nodes: [proxy.url] })
  // The token list is read once for all.
  await adapter.balance(bed.treasury, bed.native)
  asked.length = 0
  return { ...proxy, asked, adapter }
}

it('the balance of a foreign account costs two small requests and has no block', async () => {
  const { adapter, asked, stop } = await counting()
  const owner = bed.user.address
  const wanted = [
    { owner, token: bed.native },
    { owner, token: bed.hype },
  ]
  const units = [await bed.units(owner), await bed.units(owner, bed.hype)]
  expect(await adapter.balances(wanted)).toEqual({ block: null, units })
  expect(asked.toSorted()).toEqual(['clearinghouseState', 'spotClearinghouseState'])
  await stop()
})

it('the treasury, and whatever is read with it, are read at a block', async () => {
  const { adapter, stop } = await counting()
  const { address: owner } = await bed.fresh()
  await bed.local.transfer(bed.user, bed.native, owner, ONE_USDC)
  await bed.local.mine(bed.network.name, 4)
  const token = bed.native
  const wanted = [
    { owner, token },
    { owner: bed.treasury, token },
  ]
  const { block, units } = await adapter.balances(wanted)
  expect([block, units[0]]).toEqual([expect.anything(), ONE_USDC])
  await stop()
})

it('many are read with limited concurrency, all at one block if the treasury is among them', async () => {
  const chain = await openChain({ network: { ...bed.network, nodes: [bed.url] }, signer: bed.signer, log: bed.log })
  const open = { now: 0, most: 0 }
  const node: Node = {
    ...bed.node,
    async ask(call) {
      open.now += 1
      open.most = Math.max(open.most, open.now)
      return bed.node.ask(call).finally(() => {
        open.now -= 1
      })
    },
  }
  await chain.tokens(node)
  const owners = [bed.treasury, ...Array.from({ length: 30 }, (_, place) => `0x${String(place + 10).repeat(20)}`)]
  const wanted = owners.map((owner) => ({ owner, token: bed.native }))
  const { block, units } = await holdings(chain, node, wanted)
  expect(block).not.toBeNull()
  expect(units).toEqual([await bed.units(bed.treasury), ...Array.from({ length: 30 }, () => 0n)])
  // Both balances of each account.
  expect(open.most).toBeLessThanOrEqual(8)
})

it('every request is counted with its gateway weight, a ledger by its rows', async () => {
  const { address } = await bed.fresh()
  const delta = { type: 'vaultDistribution', vault: bed.other.address, usdc: '0.1' }
  await bed.play('devnet_row', { address, delta, spot: [[0, '1']], count: 130 })
  const told: [string, number][] = []
  const node = openNode(bed.url, { timeoutMs: 10_000, spent: (method, weight = 1) => told.push([method, weight]) })
  await node.ask(networkTime())
  await node.ask(userRole(address))
  await node.ask(ledgerPage(address, 0, null))
  expect(told).toEqual([
    ['exchangeStatus', 2],
    ['userRole', 60],
    ['userNonFundingLedgerUpdates', 26],
  ])
})

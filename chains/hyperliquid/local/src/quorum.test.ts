/** With a quorum, every gateway must show a deposit itself: one gateway's answer does not count for the others. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { networkTime } from '../../src/node/calls.ts'
import { drain, ONE_USDC, sent, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

const HASH = `0x${'ab'.repeat(32)}`

/** A gateway that invents a deposit to this address, and the balance it would have brought. */
async function inventing(to: string) {
  const wire = to.toLowerCase()
  const delta = {
    ...{ type: 'send', user: bed.other.address.toLowerCase(), destination: wire, sourceDex: 'spot' },
    ...{ destinationDex: 'spot', token: 'USDC', amount: '900.0', usdcValue: '900.0', fee: '0.0' },
    ...{ nativeTokenFee: '0.0', nonce: 1, feeToken: 'USDC' },
  }
  const time = (await bed.node.ask(networkTime())) + 500
  return startProxy(bed.url, async ({ type, user, startTime = 0 }, pass) => {
    if (user !== wire) return undefined
    const { body } = await pass()
    if (type === 'userNonFundingLedgerUpdates') {
      const isAsked = startTime <= time
      const rows = [...(body as { time: number }[]), ...(isAsked ? [{ time, hash: HASH, delta }] : [])]
      return { body: rows.sort((a, b) => a.time - b.time) }
    }
    if (type !== 'spotClearinghouseState' || to === bed.treasury) return { body }
    return { body: { balances: [{ coin: 'USDC', token: 0, total: '900.0', hold: '0.0', entryNtl: '0.0' }] } }
  })
}

it.each(['a deposit address', 'the treasury'])('one gateway alone invents no deposit to %s', async (where) => {
  const to = where === 'the treasury' ? bed.treasury : (await bed.fresh()).address
  const liar = await inventing(to)
  const adapter = await bed.open({ nodes: [liar.url, bed.url], quorum: 2 })
  const start = (await drain(adapter, null, to)).next
  await bed.local.mine(bed.network.name, 2)
  await drain(adapter, start, to)
  const found = await adapter.inspect(HASH, staticWatchlist(bed.treasury, to)).catch(() => null)
  expect(found?.state).not.toBe('included')
  await liar.stop()
})

it('a deposit that all gateways showed stays known after the network forgot its account', async () => {
  const source = await bed.fresh()
  const same = await startProxy(bed.url, () => undefined)
  const adapter = await bed.open({ nodes: [bed.url, same.url], quorum: 2 })
  const ours = staticWatchlist(bed.treasury, source.address)
  const start = (await drain(adapter, null, source.address)).next
  const hash = await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const { next } = await drain(adapter, start, source.address)
  await drain(adapter, next, source.address)
  expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included' })
  await sent(adapter, { kind: 'sweep', account: bed.treasury, token: bed.native, sources: [source] })
  expect(await bed.units(source.address)).toBe(0n)
  expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included', sightings: [{ txHash: hash }] })
  await same.stop()
})

/** Notes next to contract payments: delegated, frozen and returned energy has an amount but moves no coins. */
import { Batcher } from '@causeway/contracts'
import type { Address } from '@causeway/core'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { base58Of, hexOf } from './accounts.ts'
import { type Body, drain, startChain, startProxy, type Testbed } from './testbed.ts'
import { callOf, creationOf } from './wallet.ts'

const UNITS = 2_000_000n
let bed: Testbed
let batcher: Address
beforeAll(async () => {
  bed = await startChain()
  const id = await bed.wallets.send(bed.user, bed.network.name, creationOf(bed.user.address, Batcher.bytecode))
  const told = (await bed.ask('wallet/gettransactioninfobyid', { value: id })) as Body
  batcher = base58Of(String(told.contract_address))
})
afterAll(() => bed?.local.stop())

const evm = (address: Address): Hex => `0x${hexOf(address).slice(2)}`

/** A third-party contract sends coins, and the node adds another note. */
async function noted(to: Address, note: unknown) {
  const { next } = await drain(bed.adapter, null)
  const calls = [{ to: evm(to), value: UNITS, data: '0x' as Hex }]
  const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
  const txHash = await bed.wallets.send(bed.user, bed.network.name, callOf(batcher, data, UNITS))
  const proxy = await startProxy(bed.url, async (path, _, truth) => {
    const told = (await truth()) as Body | Body[]
    if (!path.startsWith('wallet/gettransactioninfo')) return told
    const altered = (one: Body) => ({
      ...one,
      internal_transactions: (one.internal_transactions as Body[] | undefined)?.map((inner) => ({ ...inner, note })),
    })
    return Array.isArray(told) ? told.map(altered) : altered(told)
  })
  try {
    const adapter = await bed.open({ nodes: [proxy.url] })
    const scan = await drain(adapter, next, to)
    const inspection = await adapter.inspect(txHash, staticWatchlist(bed.treasury, to))
    const moved = await adapter.audit?.movements(bed.treasury, scan.head.number, scan.head.number)
    const inspected = inspection.state === 'included' ? inspection.sightings : null
    return { sighted: scan.sightings.length, inspected: inspected?.length, moved: moved?.length }
  } finally {
    await proxy.stop()
  }
}

const hex = (text: string) => Buffer.from(text).toString('hex')

test.each(['call', 'create', 'suicide'])('coins noted as "%s" came', async (note) => {
  const address = (await bed.adapter.depositAddresses?.derive(1)) ?? ''
  expect(await noted(address, hex(note))).toEqual({ sighted: 1, inspected: 1, moved: 0 })
  expect(await noted(bed.treasury, hex(note))).toEqual({ sighted: 1, inspected: 1, moved: 1 })
})

test.each([
  'delegateResourceOfEnergy',
  'unDelegateResourceOfBandwidth',
  'freezeForEnergy',
  'unfreezeForEnergy',
  'callback',
  'Call',
  '',
])('what is noted as "%s" is no deposit, and moves nothing on the treasury', async (note) => {
  const address = (await bed.adapter.depositAddresses?.derive(2)) ?? ''
  expect(await noted(address, hex(note))).toEqual({ sighted: 0, inspected: 0, moved: 0 })
  expect(await noted(bed.treasury, hex(note))).toEqual({ sighted: 0, inspected: 0, moved: 0 })
})

test.each([undefined, null, 7, 'not hex'])('nor is what is noted as %s, which no chain writes', async (note) => {
  expect(await noted(bed.treasury, note)).toEqual({ sighted: 0, inspected: 0, moved: 0 })
})

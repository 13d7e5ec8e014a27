/** A deposit equal to the swept amount without a scan in between: the balance is unchanged, but a deposit arrived. */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { createNoopSigner } from '@solana/kit'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { nativeTransfer, tokenTransfer } from '../../src/paying/order.ts'
import { control, draw, sendAs, startChain, type TestChain, tokenOf, USDC, walletAt } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())
afterEach(() => {
  vi.useRealTimers()
})

async function deposit(to: string, symbol: string, units: bigint): Promise<string> {
  const wallet = await walletAt(chain.local, 0)
  const from = createNoopSigner(wallet.address)
  const transfer = { from, to, mint: USDC, program: TOKEN_PROGRAM, units, decimals: 6, payer: from }
  return sendAs(
    chain.node,
    wallet,
    symbol === 'USDC' ? await tokenTransfer(transfer) : [nativeTransfer(from, to, units)],
  )
}

async function sweep(address: string, index: number, symbol: string): Promise<void> {
  const order = { kind: 'sweep', account: chain.treasury, token: tokenOf(chain.network, symbol) } as const
  const { signed } = await draw(chain, { ...order, sources: [{ address, index }] })
  await chain.adapter.broadcast(signed)
}

/** Scans for some minutes. */
async function watched(adapter: ChainAdapter, cursor: string, ours: string[]) {
  const sightings: Sighting[] = []
  let next = cursor
  for (let round = 0; round < 6; round++) {
    const scan = await adapter.scan(next, staticWatchlist(chain.treasury, ...ours))
    sightings.push(...scan.sightings)
    next = scan.next
    await control(chain.node, 'devnet_mine', 1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  }
  return { sightings, next }
}

it.each([
  ['SOL', 5_000_000n],
  ['USDC', 7_000_000n],
])('as much %s as was swept is found by signatures too', async (symbol, units) => {
  const index = symbol === 'SOL' ? 31 : 32
  const to = (await chain.adapter.depositAddresses?.derive(index)) ?? ''
  const adapter = await chain.open({ settings: { scan: 'signatures' } })
  const { next: start } = await adapter.scan(null, staticWatchlist(chain.treasury, to))
  const first = await deposit(to, symbol, units)
  const seen = await watched(adapter, start, [to])
  expect(seen.sightings.map(({ txHash }) => txHash)).toEqual([first])
  vi.useRealTimers()
  await sweep(to, index, symbol)
  await control(chain.node, 'devnet_mine', 1)
  const second = await deposit(to, symbol, units)
  const { sightings } = await watched(adapter, seen.next, [to])
  expect(sightings.map(({ txHash }) => txHash)).toEqual([second])
})

/** Deposits found by the signatures of our accounts equal those in whole blocks, whatever happens between two scans. */
import type { ChainAdapter, Scan, Sighting } from '@causeway/core'
import { address, createNoopSigner } from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { nativeTransfer, tokenTransfer } from '../../src/paying/order.ts'
import {
  type Answer,
  control,
  draw,
  sendAs,
  startChain,
  startProxy,
  type TestChain,
  tokenOf,
  USDC,
  walletAt,
} from './testbed.ts'

let chain: TestChain
let addresses: string[]
beforeAll(async () => {
  chain = await startChain()
  addresses = await Promise.all([1, 2].map((index) => chain.adapter.depositAddresses?.derive(index) ?? ''))
})
afterAll(() => chain.local.stop())
afterEach(() => {
  vi.useRealTimers()
})

const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const ours = () => staticWatchlist(chain.treasury, ...addresses)
const bySignatures = (nodes = [chain.url]) => chain.open({ nodes, settings: { scan: 'signatures' } })
const mine = (blocks: number) => control(chain.node, 'devnet_mine', blocks)

/** The deposits a watcher would have stored: each key once, with its latest report. */
function keeper(open: () => Promise<ChainAdapter>) {
  const stored = new Map<string, Sighting>()
  let adapter: ChainAdapter | null = null
  let cursor: string | null = null
  const scan = async (): Promise<Scan> => {
    adapter ??= await open()
    return adapter.scan(cursor, ours())
  }
  const keep = (found: Scan) => {
    for (const sighting of found.sightings) stored.set(`${sighting.txHash}:${sighting.index}`, sighting)
    cursor = found.next
  }
  return {
    stored,
    scan: async () => keep(await scan()),
    /** Read, but lost before it was stored. */
    loseScan: async () => void (await scan()),
    restart: () => {
      adapter = null
    },
    async drain() {
      for (let rounds = 0; rounds < 500; rounds++) {
        const found = await scan()
        keep(found)
        if (found.scannedTo >= found.head.number && found.sightings.length === 0) return
      }
      throw new Error('never at the head')
    },
  }
}

async function deposit(to: string, symbol: string, units: bigint, memo: string | null): Promise<string> {
  const wallet = await walletAt(chain.local, 0)
  const from = createNoopSigner(wallet.address)
  const transfer = { from, to, mint: USDC, program: TOKEN_PROGRAM, units, decimals: 6, payer: from }
  const paid = symbol === 'USDC' ? await tokenTransfer(transfer) : [nativeTransfer(from, to, units)]
  return sendAs(chain.node, wallet, [
    ...paid,
    ...(memo === null ? [] : [getAddMemoInstruction({ memo }, { programAddress: MEMO })]),
  ])
}

it.each([11, 12, 13])(
  'random blocks, forks, lost scans and restarts, seed %i: both ways report the same',
  async (seed) => {
    const draws = drawnBy(seed)
    const blocks = keeper(() => chain.open())
    const signatures = keeper(() => bySignatures())
    await blocks.drain()
    await signatures.drain()
    for (let step = 0; step < 60; step++) {
      const symbol = draws(2) === 0 ? 'SOL' : 'USDC'
      const [to = ''] = [chain.treasury, ...addresses].slice(draws(3))
      const move = draws(8)
      if (move <= 2)
        await deposit(to, symbol, 2_000_000n + BigInt(draws(1_000_000)), draws(2) ? `${1_000_000 + step}` : null)
      if (move === 3) await pay(symbol, BigInt(2_000_000 + draws(1_000_000)))
      if (move === 4) await sweep(1 + draws(2), symbol)
      if (move === 5) await mine(1 + draws(12))
      if (move === 6) await control(chain.node, 'devnet_reorg', 1 + draws(3))
      if (move === 7) signatures.restart()
      if (draws(2) === 0) await blocks.scan()
      if (draws(2) === 0) await (draws(5) === 0 ? signatures.loseScan() : signatures.scan())
    }
    await mine(1)
    await blocks.drain()
    await signatures.drain()
    const told = await Promise.all([blocks, signatures].map((one) => standing(one.stored)))
    expect(told[0]?.size).toBeGreaterThan(10)
    expect(told[1]).toEqual(told[0])
  },
  120_000,
)

/** Those that are still in the chain: a watcher re-reads deposits after a fork. */
async function standing(stored: ReadonlyMap<string, Sighting>): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const [place, { block: _, ...sighting }] of stored) {
    const looked = await chain.adapter.inspect(sighting.txHash, ours())
    if (looked.state === 'included') found.set(place, sighting)
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function pay(symbol: string, units: bigint): Promise<void> {
  const amount = { token: tokenOf(chain.network, symbol), units }
  const transfers = [{ to: chain.local.accounts[3]?.address ?? '', amount }]
  const drawn = await draw(chain, { kind: 'transfers', account: chain.treasury, transfers })
  await chain.adapter.broadcast(drawn.signed)
}

async function sweep(index: number, symbol: string): Promise<void> {
  const token = tokenOf(chain.network, symbol)
  const sources = [{ address: addresses[index - 1] ?? '', index }]
  const order = { kind: 'sweep', account: chain.treasury, token, sources } as const
  const drawn = await draw(chain, { ...order, sources: [...sources] }).catch(() => null)
  if (drawn) await chain.adapter.broadcast(drawn.signed)
}

it('a list that lacks its newest entries is asked for again, and nothing is passed over', async () => {
  let hides = true
  const proxy = await startProxy(chain.url, ({ method }, answer): Answer | undefined =>
    hides && method === 'getSignaturesForAddress'
      ? { ...answer, result: (answer.result as unknown[]).slice(1) }
      : undefined,
  )
  const late = keeper(() => bySignatures([proxy.url]))
  await late.drain()
  const hash = await deposit(addresses[0] ?? '', 'SOL', 3_000_000n, null)
  for (let scans = 0; scans < 5; scans++) await late.scan()
  expect([...late.stored.values()].map(({ txHash }) => txHash)).not.toContain(hash)
  hides = false
  await late.scan()
  expect([...late.stored.values()].map(({ txHash }) => txHash)).toContain(hash)
  await proxy.stop()
})

it('a deposit deeper in a list than one page is found', async () => {
  const [, to = ''] = addresses
  const proxy = await startProxy(chain.url, ({ method }, answer): Answer | undefined =>
    method === 'getSignaturesForAddress' ? { ...answer, result: (answer.result as unknown[]).slice(0, 1) } : undefined,
  )
  const short = keeper(() => bySignatures([proxy.url]))
  await short.drain()
  const hashes: string[] = []
  for (let count = 0; count < 13; count++) hashes.push(await deposit(to, 'SOL', 3_000_000n, null))
  for (let scans = 0; scans < 3; scans++) await short.scan()
  const found = [...short.stored.values()].map(({ txHash }) => txHash)
  expect(hashes.filter((hash) => !found.includes(hash))).toEqual([])
  await proxy.stop()
})

it('a deposit that came and left between two checks is found within a minute', async () => {
  await deposit(chain.treasury, 'SOL', 4_000_000n, null)
  let frozen: unknown = null
  const proxy = await startProxy(chain.url, ({ method, params }, answer): Answer | undefined => {
    const position = method === 'getMultipleAccounts' ? (params[0] as string[]).indexOf(chain.treasury) : -1
    if (position < 0) return undefined
    const { value, ...rest } = answer.result as { value: unknown[] }
    frozen ??= value[position]
    return { ...answer, result: { ...rest, value: value.with(position, frozen) } }
  })
  const adapter = await bySignatures([proxy.url])
  const poll = (cursor: string | null) => adapter.scan(cursor, ours())
  const { next } = await poll((await poll(null)).next)
  const hash = await deposit(chain.treasury, 'SOL', 5_000_000n, '1000998')
  const blind = await poll(next)
  expect(blind.sightings).toEqual([])
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
  expect((await poll(blind.next)).sightings).toMatchObject([{ txHash: hash, reference: 1_000_998n }])
  await proxy.stop()
})

it('a quiet minute costs less than sixty requests, a day offline no more than its transactions', async () => {
  const counts: Record<string, number> = {}
  const proxy = await startProxy(chain.url, ({ method }) => {
    counts[method] = (counts[method] ?? 0) + 1
    return undefined
  })
  const sumOf = () => Object.values(counts).reduce((sum, count) => sum + count, 0)
  const adapter = await bySignatures([proxy.url])
  let { next } = await adapter.scan(null, ours())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const poll = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      vi.setSystemTime(Date.now() + 1_000)
      next = (await adapter.scan(next, ours())).next
    }
  }
  await poll(30)
  vi.setSystemTime(Date.now() + 601_000)
  await poll(3)
  const before = sumOf()
  await poll(60)
  expect(sumOf() - before).toBeLessThan(60)
  const hash = await deposit(chain.treasury, 'SOL', 7_000_000n, '1000997')
  await mine(9_000)
  const asked = sumOf()
  vi.setSystemTime(Date.now() + 3_600_000)
  const found = await adapter.scan(next, ours())
  expect(found.sightings).toMatchObject([{ txHash: hash, reference: 1_000_997n }])
  expect(found.scannedTo).toBe(found.head.number)
  expect(sumOf() - asked).toBeLessThan(20)
  await proxy.stop()
})

/** The same pseudo-random numbers below `most` each time, by a linear congruence. */
function drawnBy(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

it("a preview before every stored scan skips no address's turn", async () => {
  const few = addresses
  // More than are checked at once, whatever the number of tokens.
  addresses = await Promise.all(
    Array.from({ length: 220 }, (_, index) => chain.adapter.depositAddresses?.derive(index + 1) ?? ''),
  )
  try {
    const signatures = keeper(() => bySignatures())
    await signatures.drain()
    const hashes = [
      await deposit(addresses[0] ?? '', 'SOL', 3_000_001n, null),
      await deposit(addresses.at(-1) ?? '', 'SOL', 4_000_001n, null),
    ]
    const isStored = (hash: string) => [...signatures.stored.values()].some(({ txHash }) => txHash === hash)
    for (let round = 0; round < 60 && !hashes.every(isStored); round++) {
      await mine(1)
      await signatures.scan()
      await signatures.loseScan()
    }
    expect(hashes.map(isStored)).toEqual([true, true])
  } finally {
    addresses = few
  }
}, 60_000)

/** "Dead" needs proof: the action that used the nonce, or a block's time and a complete ledger on every gateway. */
import { RetryLater } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { unlessLater } from '../../../../tests/support/conformance/world.ts'
import {
  type Drawn,
  draw,
  inSlotOf,
  ONE_USDC,
  sent,
  startChain,
  startProxy,
  statusOf,
  type Testbed,
} from './testbed.ts'

const DAY_MS = 24 * 3_600_000
/** The two days that a nonce is valid, plus the hour of margin. */
const OVER_MS = 2 * DAY_MS + 3_700_000

let bed: Testbed
let adapter: Testbed['adapter']
let stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())
beforeEach(async () => {
  adapter = await bed.open()
})
afterEach(async () => {
  for (const stop of stops) await stop()
  stops = []
})

const final = () => bed.local.mine(bed.network.name, bed.network.finalDepth)
const pass = (ms: number) => bed.play('devnet_advance', { ms })
const small = () => bed.payment(bed.user.address, 1_000n)

interface Row {
  time: number
  hash: string
  delta: Record<string, unknown>
}

/** A gateway that shows false ledgers. */
async function lying(change: (rows: Row[]) => Row[]): Promise<string> {
  const proxy = await startProxy(bed.url, async ({ type }, ask) => {
    if (type !== 'userNonFundingLedgerUpdates') return undefined
    const { body } = await ask()
    return { body: change(body as Row[]) }
  })
  stops.push(proxy.stop)
  return proxy.url
}

const nonceOf = ({ slot }: Drawn) => Number(slot[0])

it('an unsent action is dead once a later action of ours proves its nonce expired', async () => {
  const to = await bed.stranger('never')
  const unsent = await draw(adapter, bed.payment(to, ONE_USDC))
  await pass(OVER_MS)
  await final()
  // Absence alone, for any time.
  expect(await statusOf(adapter, unsent)).toEqual({ state: 'unknown' })
  const later = await sent(adapter, small())
  expect((await statusOf(adapter, unsent)).state).not.toBe('dead')
  await final()
  const witness = await statusOf(adapter, later)
  if (witness.state !== 'included') throw new Error(`the later one is ${witness.state}`)
  expect(await statusOf(adapter, unsent)).toMatchObject({
    state: 'dead',
    evidence: { usedBy: null, block: witness.block, reason: expect.stringContaining(witness.alias ?? '') },
  })
  await unlessLater(adapter.broadcast(unsent.signed))
  expect(await bed.units(to)).toBe(0n)
})

it('a day before its nonce expires nothing is dead, whatever came since', async () => {
  const unsent = await draw(adapter, small())
  await pass(OVER_MS - DAY_MS)
  await sent(adapter, small())
  await final()
  expect(await statusOf(adapter, unsent)).toEqual({ state: 'unknown' })
  await adapter.broadcast(unsent.signed)
  expect(await statusOf(adapter, unsent)).toMatchObject({ state: 'included' })
})

it('an action that one gateway withholds and another shows is not dead', async () => {
  const landed = await sent(adapter, small())
  await pass(OVER_MS)
  await sent(adapter, small())
  await final()
  const url = await lying((rows) => rows.filter(({ delta }) => delta.nonce !== nonceOf(landed)))
  const misled = await bed.open({ nodes: [url, bed.url] })
  expect(await statusOf(misled, landed)).toEqual({ state: 'unknown' })
  expect(await statusOf(adapter, landed)).toMatchObject({ state: 'included' })
})

it('a gateway that lags behind the later action, or is down, proves nothing', async () => {
  const unsent = await draw(adapter, small())
  await pass(OVER_MS)
  const later = await sent(adapter, small())
  await final()
  const lagging = await lying((rows) => rows.filter(({ delta }) => Number(delta.nonce) < nonceOf(later)))
  expect(await statusOf(await bed.open({ nodes: [bed.url, lagging] }), unsent)).toEqual({ state: 'unknown' })
  const down = await bed.open({ nodes: [bed.url, 'http://127.0.0.1:9'] })
  await expect(statusOf(down, unsent)).rejects.toThrow(RetryLater)
  expect(await statusOf(await bed.open({ nodes: [bed.url, bed.url] }), unsent)).toMatchObject({ state: 'dead' })
})

it('an empty ledger, and one with a hole, prove nothing', async () => {
  const unsent = await draw(adapter, small())
  await pass(OVER_MS)
  const later = await sent(adapter, small())
  await final()
  expect(await statusOf(await bed.open({ nodes: [await lying(() => [])] }), unsent)).toEqual({ state: 'unknown' })
  // A page full of rows of one moment: other rows of that moment cannot be read.
  const crowded = await lying((rows) => {
    const [first] = rows.filter(({ time }) => time < nonceOf(later))
    const dust = { ...first, delta: { type: 'vaultDistribution', usdc: '0.1' } } as Row
    return first ? [...Array.from({ length: 500 }, () => dust)] : rows
  })
  expect((await statusOf(await bed.open({ nodes: [crowded] }), unsent)).state).toBe('unknown')
  const smudged = await lying((rows) =>
    rows.map((row) => (row.delta.nonce === nonceOf(later) ? row : { ...row, hash: '?' })),
  )
  expect((await statusOf(await bed.open({ nodes: [smudged] }), unsent)).state).toBe('unknown')
})

/** The treasury's ledger on a gateway that has five hundred dust rows in one moment. */
function dusted(moment: number): Promise<string> {
  const delta = { type: 'vaultDistribution', usdc: '0.1' }
  const dust = Array.from({ length: 500 }, () => ({ time: moment, hash: `0x${'d5'.repeat(32)}`, delta }))
  const proxy = startProxy(bed.url, async ({ type, startTime = 0 }, ask) => {
    if (type !== 'userNonFundingLedgerUpdates') return undefined
    const rows = (await ask()).body as Row[]
    if (startTime > moment) return { body: rows }
    return { body: [...rows.filter(({ time }) => time < moment), ...dust].slice(0, 500) }
  })
  return proxy.then(({ url, stop }) => {
    stops.push(stop)
    return url
  })
}

it('dust that fills a moment blocks the proof only if the nonce fits in it, until a person vouches', async () => {
  const unsent = await draw(adapter, small())
  await pass(OVER_MS)
  const later = await sent(adapter, small())
  await final()
  const stateWith = async (moment: number, settings: Record<string, unknown> = {}) => {
    const nodes = [await dusted(moment)]
    return (await statusOf(await bed.open({ nodes, settings: { ...bed.network.settings, ...settings } }), unsent)).state
  }
  const during = nonceOf(unsent) + DAY_MS
  expect(await stateWith(during)).toBe('unknown')
  expect(bed.log.lines.at(-1)).toMatchObject({ level: 'error', fields: { moment: new Date(during).toISOString() } })
  expect(await stateWith(during, { vouched_moments: [new Date(during).toISOString()] })).toBe('dead')
  expect(await stateWith(during, { vouched_moments: [new Date(during + 1).toISOString()] })).toBe('unknown')
  expect(await stateWith(nonceOf(later) - 1)).toBe('dead')
})

it.each<[string, Record<string, unknown>]>([
  ['whose amount cannot be read', { amount: '?' }],
  ['without its nonce', { nonce: null }],
])('a transfer of ours %s may be the one: nothing is dead beside it', async (_, change) => {
  const unsent = await draw(adapter, small())
  const other = await sent(adapter, small())
  await pass(OVER_MS)
  await sent(adapter, small())
  await final()
  const url = await lying((rows) =>
    rows.map((row) => (row.delta.nonce === nonceOf(other) ? { ...row, delta: { ...row.delta, ...change } } : row)),
  )
  expect(await statusOf(await bed.open({ nodes: [url] }), unsent)).toEqual({ state: 'unknown' })
  expect(await statusOf(adapter, unsent)).toMatchObject({ state: 'dead' })
})

it('a row that was altered by one gateway is neither a payment made nor a proof', async () => {
  const landed = await sent(adapter, small())
  await final()
  const url = await lying((rows) =>
    rows.map((row) => (row.delta.nonce === nonceOf(landed) ? { ...row, delta: { ...row.delta, amount: '0.5' } } : row)),
  )
  const misled = await bed.open({ nodes: [url, bed.url] })
  expect(await statusOf(misled, landed)).toEqual({ state: 'unknown' })
  const alone = await bed.open({ nodes: [url] })
  const ask = { hash: landed.signed.hash, slot: landed.slot, account: bed.treasury }
  expect(await alone.status(ask, async () => null)).toEqual({ state: 'unknown' })
})

it('with a quorum of two, a payment that one gateway invents is not included', async () => {
  const unsent = await draw(adapter, small())
  const model = await sent(adapter, small())
  const url = await lying((rows) =>
    rows.flatMap((row) =>
      row.delta.nonce === nonceOf(model)
        ? [{ ...row, hash: `0x${'ab'.repeat(32)}`, delta: { ...row.delta, nonce: nonceOf(unsent) } }, row]
        : [row],
    ),
  )
  expect(await statusOf(await bed.open({ nodes: [url] }), unsent)).toMatchObject({ state: 'included' })
  const careful = await bed.open({ nodes: [url, bed.url], quorum: 2 })
  await expect(statusOf(careful, unsent)).rejects.toThrow(RetryLater)
  expect(await statusOf(adapter, unsent)).toEqual({ state: 'unknown' })
})

it('the action that used the nonce proves death only at final depth and on every gateway', async () => {
  const mine = await draw(adapter, small())
  const rival = await inSlotOf(adapter, mine, bed.payment(bed.other.address, 2_000n))
  await adapter.broadcast(rival.signed)
  expect(await statusOf(adapter, mine, [rival])).toEqual({ state: 'unknown' })
  await final()
  const hiding = await lying((rows) => rows.filter(({ delta }) => delta.nonce !== nonceOf(mine)))
  expect(await statusOf(await bed.open({ nodes: [bed.url, hiding] }), mine, [rival])).toEqual({ state: 'unknown' })
  expect(await statusOf(adapter, mine, [rival])).toMatchObject({
    state: 'dead',
    evidence: { usedBy: rival.signed.hash },
  })
})

it('an unsent sweep is dead by the same proof', async () => {
  const source = await bed.fresh()
  await bed.local.transfer(bed.user, bed.native, source.address, 2n * ONE_USDC)
  const unsent = await draw(adapter, {
    ...{ kind: 'sweep', account: bed.treasury, token: bed.native, sources: [source] },
  })
  await pass(OVER_MS)
  await sent(adapter, small())
  await final()
  expect(await statusOf(adapter, unsent)).toMatchObject({ state: 'dead', evidence: { usedBy: null } })
})

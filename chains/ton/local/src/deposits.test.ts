/**
 * Which transfers are deposits and which only look like one: rules 31 to 33 of `docs/rules.md`, on the real virtual
 * machine.
 */
import { beginCell, type Cell, comment } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { tonAddress } from '../../src/address.ts'
import { JETTON_EXCESSES, JETTON_NOTIFICATION } from '../../src/jetton.ts'
import { accountState, blockHeader } from '../../src/node/calls.ts'
import { opcodeOf } from '../../src/transaction.ts'
import { USDT } from './test-network.ts'
import { drain, draw, ended, messageOf, payment, startChain, type Testbed, type Words } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
  // Its wallet is deployed from now on.
  await bed.local.transfer(bed.user, bed.native, bed.other.address, TON)
})
afterAll(() => bed.local.stop())

const TON = 1_000_000_000n

/** The deposits that a scan sees in this message to the treasury. */
async function seen({ from = bed.user.address, ...words }: Partial<Words> & { value: bigint }) {
  const cursor = (await drain(bed.adapter, null)).next
  const before = await newest()
  await bed.send(messageOf({ from, to: bed.treasury, ...words }))
  await eventually(async () => (await newest()) !== before, 'the message at the treasury')
  return (await drain(bed.adapter, cursor)).sightings
}

async function newest(): Promise<bigint> {
  return (await bed.node.ask(accountState(bed.treasury))).last?.lt ?? 0n
}

function notification(units: bigint, sender: string, payload: (body: ReturnType<typeof beginCell>) => void): Cell {
  const body = beginCell().storeUint(JETTON_NOTIFICATION, 32).storeUint(0, 64).storeCoins(units)
  body.storeAddress(tonAddress(sender))
  payload(body)
  return body.endCell()
}

describe('before the treasury is deployed', () => {
  test('a non-bouncing message is kept and credited', async () => {
    const [only] = await seen({ value: TON, body: comment('31') })
    expect(only).toMatchObject({ amount: { units: TON }, reference: 31n })
  })

  test('31: what bounces does not', async () => {
    expect(await seen({ value: TON, body: comment('31'), bounce: true })).toEqual([])
  })

  test('the first payout deploys it', async () => {
    const drawn = await draw(bed.adapter, payment(bed.treasury, [await bed.stranger('first'), bed.native, TON]))
    await bed.adapter.broadcast(drawn.signed)
    expect((await ended(bed.adapter, drawn)).state).toBe('included')
    const [only] = await seen({ value: TON, body: comment('31'), bounce: true })
    expect(only).toMatchObject({ amount: { units: TON }, reference: 31n })
  })
})

describe('31: bounced messages and aborted phases', () => {
  test('a bounced message is ignored, whatever it says', async () => {
    expect(await seen({ value: TON, body: comment('31'), bounced: true })).toEqual([])
  })

  test('a message too small to run is ignored, and inspected as failed', async () => {
    const cursor = (await drain(bed.adapter, null)).next
    const before = await newest()
    await bed.send(messageOf({ from: bed.user.address, to: bed.treasury, value: 1n, body: comment('31') }))
    await eventually(async () => (await newest()) !== before, 'the message')
    expect((await drain(bed.adapter, cursor)).sightings).toEqual([])
    const { last } = await bed.node.ask(accountState(bed.treasury))
    const inspection = await bed.adapter.inspect(last?.hash ?? '', staticWatchlist(bed.treasury))
    expect(inspection).toMatchObject({ state: 'failed' })
  })
})

describe('32: jetton notifications', () => {
  const payload = (body: ReturnType<typeof beginCell>) => body.storeBit(true).storeRef(comment('32'))

  test('one from any other account is not a jetton: only the TON in it arrived', async () => {
    const body = notification(5_000_000n, bed.user.address, payload)
    const [only, ...more] = await seen({ value: TON, body })
    expect(more).toEqual([])
    expect(only).toMatchObject({ amount: { token: bed.native, units: TON }, reference: null })
  })

  test('one from another owner’s genuine wallet is not a deposit either', async () => {
    const from = await bed.jettonWallet(bed.user.address, USDT)
    const [only] = await seen({ from, value: TON, body: notification(5_000_000n, bed.user.address, payload) })
    expect(only).toMatchObject({ amount: { token: bed.native }, refundableSender: null, reference: null })
  })

  test('one from the treasury’s own wallet is credited, payload inline or in a cell, even if it cannot run', async () => {
    const from = await bed.jettonWallet(bed.treasury, USDT)
    const inline = (body: ReturnType<typeof beginCell>) => body.storeBit(false).storeSlice(comment('32').beginParse())
    for (const [form, value] of [
      [payload, TON],
      [inline, TON],
      [payload, 1n],
    ] as const) {
      const [only, ...more] = await seen({ from, value, body: notification(5_000_000n, bed.user.address, form) })
      expect(more).toEqual([])
      expect(only).toMatchObject({ amount: { token: { symbol: 'USDT' }, units: 5_000_000n }, reference: 32n })
      expect(only?.refundableSender).toBe(bed.user.address)
    }
  })

  test('a truncated one is ignored', async () => {
    const from = await bed.jettonWallet(bed.treasury, USDT)
    const body = beginCell().storeUint(JETTON_NOTIFICATION, 32).storeUint(0, 64).endCell()
    expect(await seen({ from, value: TON, body })).toEqual([])
  })
})

describe('33: comments', () => {
  const text = (words: string) => beginCell().storeUint(0, 32).storeStringTail(words)

  test.each<[string, () => Cell]>([
    ['another opcode', () => beginCell().storeUint(1, 32).storeStringTail('33').endCell()],
    ['a binary comment', () => beginCell().storeUint(0, 32).storeUint(0xff, 8).storeUint(33, 64).endCell()],
    ['an encrypted comment', () => beginCell().storeUint(0x2167da4b, 32).storeStringTail('33').endCell()],
    ['bits that are no bytes', () => text('33').storeUint(0, 3).endCell()],
    ['two references', () => text('33').storeRef(comment('1')).storeRef(comment('2')).endCell()],
    ['half an opcode', () => beginCell().storeUint(0, 16).endCell()],
    ['no body', () => beginCell().endCell()],
  ])('%s names no swap', async (_, body) => {
    const [only] = await seen({ value: TON, body: body() })
    expect(only).toMatchObject({ amount: { units: TON }, reference: null })
  })

  test('an exotic cell stops nothing', async () => {
    const library = beginCell().storeUint(2, 8).storeUint(7, 256).endCell({ exotic: true })
    expect(opcodeOf({ ...messageOf({ from: USDT, to: USDT, value: TON }), body: library })).toBeNull()
    const inside = beginCell().storeUint(0, 32).storeRef(library).endCell()
    expect(await seen({ value: TON, body: inside })).toMatchObject([{ reference: null }])
    const from = await bed.jettonWallet(bed.treasury, USDT)
    const body = notification(1_000_000n, bed.user.address, (notice) => notice.storeBit(true).storeRef(library))
    expect(await seen({ from, value: TON, body })).toMatchObject([{ amount: { units: 1_000_000n }, reference: null }])
  })

  test('a comment that continues in the next cell is read to its end', async () => {
    const split = beginCell().storeUint(0, 32).storeRef(beginCell().storeStringTail('33').endCell()).endCell()
    expect(await seen({ value: TON, body: split })).toMatchObject([{ reference: 33n }])
    const more = text('3').storeRef(beginCell().storeStringTail('3 and more').endCell()).endCell()
    expect(await seen({ value: TON, body: more })).toMatchObject([{ reference: null }])
  })
})

describe('who sent it', () => {
  test('an ordinary wallet can be paid back; a contract of another kind cannot', async () => {
    expect(await seen({ value: TON })).toMatchObject([{ refundableSender: bed.user.address }])
    expect(await seen({ from: USDT, value: TON })).toMatchObject([{ refundableSender: null }])
    expect(await seen({ from: await bed.stranger('nobody yet'), value: TON })).toMatchObject([
      { refundableSender: null },
    ])
  })

  test('the treasury is not a payer', async () => {
    expect(await seen({ from: bed.treasury, value: TON, body: comment('9') })).toEqual([])
  })

  test('change of our jetton payouts is not a deposit; foreign change is one without a number', async () => {
    const change = (queryId: bigint) => beginCell().storeUint(JETTON_EXCESSES, 32).storeUint(queryId, 64).endCell()
    expect(await seen({ value: TON, body: change((0x43535759n << 32n) | 7n) })).toEqual([])
    expect(await seen({ value: TON, body: change(7n) })).toMatchObject([{ reference: null }])
  })
})

describe('reading', () => {
  test('a hash is found in hex and in base64, and by the incoming message', async () => {
    const hash = await bed.local.transfer(bed.user, bed.native, bed.treasury, TON)
    const ours = staticWatchlist(bed.treasury)
    const expected = await bed.adapter.inspect(hash, ours)
    expect(expected).toMatchObject({ state: 'included', sightings: [{ txHash: hash }] })
    const bytes = Buffer.from(hash, 'hex')
    const again = [hash.toUpperCase(), bytes.toString('base64'), bytes.toString('base64url')]
    for (const text of again) {
      expect(await bed.adapter.inspect(text, ours)).toMatchObject({ sightings: [{ txHash: hash }] })
    }
    expect(await bed.adapter.inspect('no hash at all', ours)).toEqual({ state: 'unknown' })
    expect(await bed.adapter.inspect('00'.repeat(32), ours)).toEqual({ state: 'unknown' })
  })

  test('catching up goes in bounded ranges, and misses none and repeats none', async () => {
    const cursor = (await drain(bed.adapter, null)).next
    const many = 260
    for (let made = 0; made < many; made++) {
      await bed.send(messageOf({ from: bed.user.address, to: bed.treasury, value: TON, body: comment(`${made + 1}`) }))
    }
    const adapter = await bed.open()
    const first = await adapter.scan(cursor, staticWatchlist(bed.treasury))
    expect(first.sightings.length).toBe(200)
    expect(first.scannedTo).toBeLessThan(first.head.number)
    const { sightings } = await drain(await bed.open(), first.next)
    const all = [...first.sightings, ...sightings].map(({ reference }) => Number(reference)).toSorted((a, b) => a - b)
    expect(all).toEqual(Array.from({ length: many }, (_, index) => index + 1))
  })

  test('our wallets are asked for once a scan', async () => {
    const cursor = (await drain(bed.adapter, null)).next
    for (const number of ['1', '2', '3']) {
      await bed.send(messageOf({ from: bed.user.address, to: bed.treasury, value: TON, body: comment(number) }))
    }
    let questions = 0
    const counting = {
      owned: async (addresses: readonly string[]) => {
        questions += 1
        return new Set(addresses.filter((address) => address === bed.treasury))
      },
    }
    expect((await bed.adapter.scan(cursor, counting)).sightings.length).toBe(3)
    expect(questions).toBe(1)
  })
})

test('a deposit’s block time is available as long as it is that very block', async () => {
  const [only] = await seen({ value: TON, body: comment('77') })
  const found = await bed.adapter.inspect(only?.txHash ?? '', staticWatchlist(bed.treasury))
  if (found.state !== 'included') throw new Error(`it is ${found.state}`)
  const { time } = await bed.node.ask(blockHeader(found.block.number))
  expect(await bed.adapter.blockTimes?.timeOf(found.block)).toEqual(new Date(time * 1000))
  await expect(bed.adapter.blockTimes?.timeOf({ ...found.block, hash: '00'.repeat(32) })).rejects.toThrow(
    'another block',
  )
})

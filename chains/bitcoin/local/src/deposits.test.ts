/** Rows 23 to 26 of the safety table, on a node with real consensus rules. */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { draw, jointDeposit, type Lab, memo, openLab, output, payment } from './testbed.ts'
import { walletSend } from './wallet.ts'

describe('deposits on a real chain', () => {
  let lab: Lab
  let adapter: ChainAdapter
  beforeAll(async () => {
    lab = await openLab()
    adapter = await lab.open('deposits')
    await lab.devnet.fund(lab.network.nativeToken, adapter.treasury, 10n ** 8n)
  })
  afterAll(() => lab.devnet.stop())

  const ours = (...more: string[]) => staticWatchlist(adapter.treasury, ...more)
  const brief = (sightings: readonly Sighting[]) =>
    sightings.map(({ index, to, amount, reference }) => ({ index, to, units: amount.units, reference }))

  it('row 23: a deposit is sighted while it waits, once, and again when it lands', async () => {
    const start = (await adapter.scan(null, ours())).next
    const { txid } = await walletSend(lab.node, lab.sender, [output(adapter.treasury, 5_000n), memo('f4241')])
    const seen = await adapter.scan(start, ours())
    expect(seen.sightings).toEqual([
      {
        txHash: txid,
        index: 0,
        block: null,
        refundableSender: lab.sender.address,
        fundingAddresses: [lab.sender.address],
        to: adapter.treasury,
        amount: { token: lab.network.nativeToken, units: 5_000n },
        reference: 1_000_001n,
      },
    ])
    expect(await adapter.inspect(txid, ours())).toEqual({ state: 'pending', sightings: seen.sightings })
    expect(seen.next, 'what was seen must be stored').not.toBe(start)
    expect((await adapter.scan(start, ours())).sightings, 'it was not stored: it is told again').toEqual(seen.sightings)
    const again = await adapter.scan(seen.next, ours())
    expect(again.sightings).toEqual([])
    expect(again.next).toBe(seen.next)
    const fresh = await lab.open('deposits')
    expect((await fresh.scan(seen.next, ours())).sightings, 'nor after a restart').toEqual([])
    await lab.mine()
    const landed = await adapter.scan(again.next, ours())
    expect(landed.sightings).toMatchObject([{ txHash: txid, index: 0, block: landed.head }])
  })

  it('row 23: a payment replaced by fee is unknown from then on, and the replacement is judged again', async () => {
    const start = (await adapter.scan(null, ours())).next
    const first = await walletSend(lab.node, lab.sender, [output(adapter.treasury, 5_000n), memo('f4242')])
    const seen = await adapter.scan(start, ours())
    expect(brief(seen.sightings)).toMatchObject([{ reference: 1_000_002n }])
    const options = { rate: 9_000n, spend: first.spent }
    const away = await walletSend(lab.node, lab.sender, [output(lab.other.address, 5_000n), memo('f4242')], options)
    expect(await adapter.inspect(first.txid, ours())).toEqual({ state: 'unknown' })
    expect(await adapter.inspect(away.txid, ours())).toEqual({ state: 'pending', sightings: [] })
    const gone = await adapter.scan(seen.next, ours())
    expect(gone.sightings).toEqual([])
    const back = await walletSend(lab.node, lab.sender, [output(adapter.treasury, 4_000n), memo('f4243')], {
      rate: 20_000n,
      spend: first.spent,
    })
    const anew = await adapter.scan(gone.next, ours())
    expect(anew.sightings.map(({ txHash }) => txHash)).toEqual([back.txid])
    expect(brief(anew.sightings)).toEqual([{ index: 0, to: adapter.treasury, units: 4_000n, reference: 1_000_003n }])
    await lab.mine()
    expect(await adapter.inspect(first.txid, ours())).toEqual({ state: 'unknown' })
    expect(await adapter.inspect(back.txid, ours())).toMatchObject({ state: 'included' })
  })

  it('row 24: our own change and sweeps are no deposits, neither waiting nor landed', async () => {
    const index = 24
    const deposit = (await adapter.depositAddresses?.derive(index)) ?? ''
    await lab.devnet.transfer(lab.sender, lab.network.nativeToken, deposit, 60_000n)
    const start = (await adapter.scan(null, ours(deposit))).next
    const payout = await draw(adapter, payment(adapter, [lab.other.address, 7_000n]))
    const token = lab.network.nativeToken
    const sources = [{ address: deposit, index }]
    const sweep = await draw(adapter, { kind: 'sweep', account: adapter.treasury, token, sources })
    for (const { signed } of [payout, sweep]) await adapter.broadcast(signed)
    const waiting = await adapter.scan(start, ours(deposit))
    expect(waiting.sightings).toEqual([])
    for (const { signed } of [payout, sweep]) {
      expect(await adapter.inspect(signed.hash, ours(deposit))).toEqual({ state: 'pending', sightings: [] })
    }
    await lab.mine()
    expect((await adapter.scan(waiting.next, ours(deposit))).sightings).toEqual([])
    for (const { signed } of [payout, sweep]) {
      expect(await adapter.inspect(signed.hash, ours(deposit))).toMatchObject({ state: 'included', sightings: [] })
    }
  })

  it('row 25: two outputs to one address are two sightings, outputs to two addresses too', async () => {
    const one = (await adapter.depositAddresses?.derive(251)) ?? ''
    const two = (await adapter.depositAddresses?.derive(252)) ?? ''
    const outputs = [output(one, 1_000n), output(two, 2_000n), output(one, 3_000n)]
    const { txid } = await walletSend(lab.node, lab.sender, outputs)
    await lab.mine()
    const inspection = await adapter.inspect(txid, ours(one, two))
    if (inspection.state !== 'included') throw new Error(inspection.state)
    expect(brief(inspection.sightings)).toEqual([
      { index: 0, to: one, units: 1_000n, reference: null },
      { index: 1, to: two, units: 2_000n, reference: null },
      { index: 2, to: one, units: 3_000n, reference: null },
    ])
  })

  it('row 25: one memo over two treasury payments names neither; with a deposit address it names its own', async () => {
    const address = (await adapter.depositAddresses?.derive(253)) ?? ''
    const twice = [output(adapter.treasury, 1_000n), output(adapter.treasury, 1_000n), memo('f4241')]
    const mixed = [output(address, 1_000n), memo('f4241'), output(adapter.treasury, 1_000n)]
    const first = await walletSend(lab.node, lab.sender, twice)
    await lab.mine()
    const second = await walletSend(lab.node, lab.sender, mixed)
    await lab.mine()
    const ambiguous = await adapter.inspect(first.txid, ours(address))
    expect(ambiguous).toMatchObject({ sightings: [{ reference: null }, { reference: null }] })
    const clear = await adapter.inspect(second.txid, ours(address))
    expect(clear).toMatchObject({
      sightings: [
        { index: 0, to: address, reference: null },
        { index: 2, to: adapter.treasury, reference: 1_000_001n },
      ],
    })
  })

  it.each([
    ['missing', [], null],
    ['the text', [memo('f4241')], 1_000_001n],
    ['the text with a tail', [memo('f4241;anything')], 1_000_001n],
    ['the bare bytes', [memo(Uint8Array.of(0x0f, 0x42, 0x41))], 1_000_001n],
    ['80 bytes', [memo(`f4241;${'x'.repeat(74)}`)], 1_000_001n],
    ['not hex', [memo('swap 1000001')], null],
    ['leading zeros in text', [memo('0f4241')], null],
    ['leading zeros in bytes', [memo(Uint8Array.of(0, 0x0f, 0x42, 0x41))], null],
    ['capitals', [memo('F4241')], null],
  ])('row 26: an OP_RETURN that is %s is read for what it is', async (_, memos, reference) => {
    const { txid } = await walletSend(lab.node, lab.sender, [output(adapter.treasury, 1_000n), ...memos])
    await lab.mine()
    const inspection = await adapter.inspect(txid, ours())
    expect(inspection).toMatchObject({ state: 'included', sightings: [{ index: 0, reference }] })
  })

  it('a deposit from several senders has no refundable sender', async () => {
    const joint = await jointDeposit(lab, adapter.treasury)
    await lab.mine()
    expect(await adapter.inspect(joint, ours())).toMatchObject({ sightings: [{ refundableSender: null }] })
  })

  it('a miner pays us by an ordinary transaction: a coinbase is no deposit', async () => {
    const cursor = (await adapter.scan(null, ours())).next
    await lab.node.ask([{ method: 'generatetoaddress', params: [1, adapter.treasury], read: String }])
    expect((await adapter.scan(cursor, ours())).sightings).toEqual([])
  })
})

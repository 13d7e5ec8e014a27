/** Deposits beyond the conformance suite: the number, the public library as a wallet, and rejections of the double. */
import { createHash } from 'node:crypto'
import { RetryLater } from '@causeway/core'
import stark from '@starkware-industries/starkware-crypto-utils'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { LINK_WORDS, linkedHash, wordsFor } from './codec.ts'
import { ask } from './index.ts'
import { ETH, startLedger, startProxy, type Testbed } from './testbed.ts'
import { openWallet } from './wallet.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startLedger()
})
afterAll(() => bed.local.stop())

const ours = () => staticWatchlist(bed.treasury)
const hour = () => Math.floor(Date.now() / 3_600_000) + 24

/** A wallet's request before it signs. */
async function detailsFor(sender: string, to: string, units: bigint) {
  const wanted = { amount: `${units}`, receiver: to, token: { type: 'ETH', data: {} } }
  const answer = await ask(bed.url, 'v2/signable-transfer-details', {
    sender_ether_key: sender,
    signable_requests: [wanted],
  })
  const { signable_responses } = answer as { signable_responses: [Record<string, string>] }
  const {
    amount = '',
    asset_id = '',
    receiver_stark_key = '',
    receiver_vault_id = '',
    sender_vault_id = '',
  } = signable_responses[0]
  return { amount, asset_id, receiver_stark_key, receiver_vault_id, sender_vault_id, expiration_timestamp: `${hour()}` }
}

describe('the number of a swap', () => {
  const request = (reference: bigint) => ({
    ...{ token: bed.native, units: ETH, receiver: bed.treasury, reference, sourceAddress: null },
  })

  test('is call_data, to be the nonce of the transfer, and none is promised that does not fit', async () => {
    expect(await bed.adapter.depositAction(request(1_000_001n))).toEqual({
      ...{
        type: 'transfer',
        toAddress: bed.treasury,
        units: ETH,
        callData: '1000001',
        gasLimit: null,
        encodedArgs: null,
      },
    })
    await expect(bed.adapter.depositAction(request(2n ** 30n))).rejects.toThrow('does not fit')
  })

  test.each([
    ['0', null],
    ['1', 1n],
    ['1073741823', 1_073_741_823n],
    ['1073741824', null],
    ['2147483647', null],
  ])('a transfer of nonce %s carries %s', async (nonce, reference) => {
    const { next } = await bed.adapter.scan(null, ours())
    const action = { toAddress: bed.treasury, units: ETH, callData: nonce }
    const id = await bed.local.deposit(bed.user, bed.native, action)
    const { sightings } = await bed.adapter.scan(next, ours())
    expect(sightings).toMatchObject([
      { txHash: id, refundableSender: bed.user.address, reference, amount: { units: ETH } },
    ])
  })

  test('one sender uses a nonce once: the same number again comes from another', async () => {
    const action = { toAddress: bed.treasury, units: ETH, callData: '777' }
    await bed.local.deposit(bed.user, bed.native, action)
    await expect(bed.local.deposit(bed.user, bed.native, { ...action, units: 2n * ETH })).rejects.toThrow('nonce')
    await bed.local.deposit(bed.other, bed.native, action)
  })
})

test('StarkWare’s own library registers, signs and pays, and its transfer is a deposit', async () => {
  const account = privateKeyToAccount(`0x${createHash('sha256').update('a wallet of StarkWare').digest('hex')}`)
  const pair = stark.ec.keyFromPrivate(createHash('sha256').update('its key').digest('hex').slice(2), 'hex')
  const starkKey = `0x${pair.getPublic().getX().toString(16)}`
  const signed = (hash: string) => {
    const { r, s } = stark.sign(pair, hash)
    return { r: `0x${r.toString(16)}`, s: `0x${s.toString(16)}` }
  }
  await ask(bed.url, 'v1/users', {
    ...{ ether_key: account.address, stark_key: starkKey },
    eth_signature: await account.signMessage({ message: LINK_WORDS }),
    stark_signature: signed(linkedHash(account.address, starkKey).toString(16)),
  })
  await bed.local.fund(bed.native, account.address, 10n * ETH)
  const details = await detailsFor(account.address, bed.treasury, 3n * ETH)
  const { amount, asset_id, sender_vault_id, receiver_vault_id, receiver_stark_key, expiration_timestamp } = details
  const [from, to, expiry] = [sender_vault_id, receiver_vault_id, expiration_timestamp].map(Number) as [
    number,
    number,
    number,
  ]
  const told: string = stark.getTransferMsgHash(amount, 424_242, from, asset_id, to, receiver_stark_key, expiry)
  const hash = told.replace(/^0x/, '')
  const { next } = await bed.adapter.scan(null, ours())
  const body = {
    sender_stark_key: starkKey,
    requests: [{ ...details, nonce: '424242', stark_signature: signed(hash) }],
  }
  const ethereum = await account.signMessage({ message: wordsFor(BigInt(`0x${hash}`)) })
  const headers = { 'x-imx-eth-address': account.address, 'x-imx-eth-signature': ethereum }
  await ask(bed.url, 'v2/transfers', body, headers)
  await bed.mine()
  expect((await bed.adapter.scan(next, ours())).sightings).toMatchObject([
    { refundableSender: account.address, to: bed.treasury, amount: { units: 3n * ETH }, reference: 424_242n },
  ])
})

test('an accepted transfer is not a deposit until it is in a batch', async () => {
  const wallet = openWallet(bed.user.secret)
  const details = await detailsFor(wallet.address, bed.treasury, ETH)
  const { body, headers } = await wallet.transfer({ ...details, nonce: '31337' })
  const { next } = await bed.adapter.scan(null, ours())
  const { transfer_ids } = (await ask(bed.url, 'v2/transfers', body, headers)) as { transfer_ids: [string] }
  expect((await bed.adapter.scan(next, ours())).sightings).toEqual([])
  expect(await bed.adapter.inspect(transfer_ids[0], ours())).toMatchObject({
    state: 'pending',
    sightings: [{ block: null }],
  })
  await bed.mine()
  expect((await bed.adapter.scan(next, ours())).sightings.map(({ txHash }) => txHash)).toEqual(transfer_ids)
})

test('a list that exceeds its message credits nothing, and a lagging one hides nothing permanently', async () => {
  const cursor = (await bed.adapter.scan(null, ours())).next
  const id = await bed.local.deposit(bed.user, bed.native, { toAddress: bed.treasury, units: ETH, callData: '909' })
  type Row = { token: { type: string; data: { quantity: string } } }
  const liar = await startProxy(bed.url, (path, answer) => {
    if (!path.startsWith('v1/batches')) return answer
    const { head, result } = answer as { head: unknown; result: { transfers: Row[] }[] }
    const more = (row: Row) => ({
      ...row,
      token: { ...row.token, data: { ...row.token.data, quantity: `${900n * ETH}` } },
    })
    return { head, result: result.map((batch) => ({ ...batch, transfers: batch.transfers.map(more) })) }
  })
  expect((await (await bed.open({ nodes: [liar.url] })).scan(cursor, ours())).sightings).toEqual([])
  const behind = await startProxy(bed.url, (path, answer) => {
    if (!path.startsWith('v1/batches')) return answer
    const { result } = answer as { result: { number: string; root: string }[] }
    const older = result.slice(0, -1)
    return { head: older.at(-1) ?? result[0], result: older.length > 0 ? older : result }
  })
  const early = await (await bed.open({ nodes: [behind.url] })).scan(cursor, ours())
  expect(early.sightings).toEqual([])
  expect(early.reorgFrom).toBeNull()
  expect((await bed.adapter.scan(early.next, ours())).sightings.map(({ txHash }) => txHash)).toEqual([id])
  await Promise.all([liar.stop(), behind.stop()])
})

test('an unreadable transfer hides no other, and movements are reported only if none of it is ours', async () => {
  const cursor = await bed.adapter.scan(null, ours())
  const deposit = (callData: string) =>
    bed.local.deposit(bed.user, bed.native, { toAddress: bed.treasury, units: ETH, callData })
  const [bad, good] = [await deposit('7001'), await deposit('7002')]
  await bed.mine()
  type Row = Record<string, unknown>
  const behind = async (change: (row: Row) => unknown) => {
    const proxy = await startProxy(bed.url, (path, answer) => {
      if (!path.startsWith('v1/batches')) return answer
      const { head, result } = answer as { head: unknown; result: { transfers: Row[] }[] }
      const changed = (row: Row) => (row.transaction_id === bad ? change(row) : row)
      return { head, result: result.map((batch) => ({ ...batch, transfers: batch.transfers.map(changed) })) }
    })
    return { ...proxy, adapter: await bed.open({ nodes: [proxy.url] }) }
  }
  const ofUs = await behind((row) => ({ ...row, message: null }))
  const scan = await ofUs.adapter.scan(cursor.next, ours())
  expect(scan.sightings.map(({ txHash }) => txHash)).toEqual([good])
  expect(bed.log.lines.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('cannot be read') })
  const [from, to] = [cursor.head.number + 1n, scan.head.number]
  await expect(ofUs.adapter.audit?.movements(bed.treasury, from, to)).rejects.toThrow(RetryLater)
  const ofNobody = await behind(() => 'smudged')
  await expect(ofNobody.adapter.audit?.movements(bed.treasury, from, to)).rejects.toThrow(RetryLater)
  const ofOthers = await behind((row) => ({ ...row, receiver: bed.other.address, message: null }))
  const moved = await ofOthers.adapter.audit?.movements(bed.treasury, from, to)
  expect(moved?.map(({ txHash }) => txHash)).toEqual([good])
  await Promise.all([ofUs.stop(), ofNobody.stop(), ofOthers.stop()])
})

test('the double refuses what an operator would', async () => {
  const wallet = openWallet(bed.user.secret)
  const other = openWallet(bed.other.secret)
  const details = { ...(await detailsFor(wallet.address, bed.treasury, ETH)), nonce: '5150' }
  const good = await wallet.transfer(details)
  const post = (body: unknown, headers: Record<string, string> = good.headers) =>
    ask(bed.url, 'v2/transfers', body, headers)
  const request = (good.body as { requests: [object] }).requests[0]
  const withRequest = (changes: object) => ({ ...(good.body as object), requests: [{ ...request, ...changes }] })
  await expect(post(withRequest({ amount: '1' }))).rejects.toThrow('Stark signature does not fit')
  await expect(post(withRequest({ receiver_stark_key: other.starkKey }))).rejects.toThrow(
    'another vault of the receiver',
  )
  const forged = await other.transfer(details)
  await expect(post(forged.body, forged.headers)).rejects.toThrow('another vault')
  await expect(
    post(good.body, { ...good.headers, 'x-imx-eth-signature': forged.headers['x-imx-eth-signature'] ?? '' }),
  ).rejects.toThrow('Ethereum signature does not fit')
  const late = await wallet.transfer({ ...details, expiration_timestamp: `${hour() - 24}` })
  await expect(post(late.body, late.headers)).rejects.toThrow('expired')
  const much = await wallet.transfer({ ...details, amount: `${10n ** 18n}` })
  await expect(post(much.body, much.headers)).rejects.toThrow('insufficient_balance')
  await expect(ask(bed.url, 'v1/users', await openWallet(`0x${'7'.repeat(64)}`).link())).resolves.toBeDefined()
  const stolen = { ...((await other.link()) as object), ether_key: wallet.address }
  await expect(ask(bed.url, 'v1/users', stolen)).rejects.toThrow('does not fit')
})

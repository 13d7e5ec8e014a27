/** Deposits beyond the conformance suite: how the reference is carried, and what is not a deposit. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { ask } from './index.ts'
import { ETH, startChain, startProxy, type Testbed } from './testbed.ts'
import { openWallet, type Wallet } from './wallet.ts'

let bed: Testbed
let wallet: Wallet
beforeAll(async () => {
  bed = await startChain()
  // Sets the key of the user's account.
  await bed.local.transfer(bed.user, bed.native, bed.other.address, ETH)
  wallet = await openWallet(bed.user.secret, 11_155_111)
})
afterAll(() => bed.local.stop())

const FEE = '1000000000000'
const ours = () => staticWatchlist(bed.treasury)
const nonceOf = async () => {
  const state = await ask(bed.url, `accounts/${wallet.address}/committed`)
  return state as { accountId: number; nonce: number }
}

async function posted(changes: Record<string, unknown> = {}) {
  const { accountId, nonce } = await nonceOf()
  return wallet.transfer({
    ...{ accountId, to: bed.treasury, token: 0, amount: `${ETH}`, fee: FEE, nonce, validFrom: 0 },
    validUntil: 4_294_967_295,
    ...changes,
  })
}

async function sightedOf(changes: Record<string, unknown>) {
  const { next } = await bed.adapter.scan(null, ours())
  await ask(bed.url, 'transactions', await posted(changes))
  await bed.mine()
  return (await bed.adapter.scan(next, ours())).sightings
}

test('call_data is the number behind an offset, to be the last moment of the transfer', async () => {
  const action = await bed.adapter.depositAction({
    ...{ token: bed.native, units: ETH, receiver: bed.treasury, reference: 1_000_001n, sourceAddress: null },
  })
  expect(action).toEqual({
    ...{ type: 'transfer', toAddress: bed.treasury, units: ETH, callData: '10001000001' },
    ...{ gasLimit: null, encodedArgs: null },
  })
})

test.each([
  ['the number behind the offset', 10_001_000_001, 1_000_001n],
  ['the number counted down from the last moment, as published wallets do', 4_294_967_295 - 1_000_001, 1_000_001n],
  ['the last moment itself', 4_294_967_295, null],
  ['the offset itself', 10_000_000_000, null],
  ['a moment of this century', 3_900_000_000, null],
  ['between the last moment and the offset', 9_999_999_999, null],
  ['the largest that there is', Number.MAX_SAFE_INTEGER, BigInt(Number.MAX_SAFE_INTEGER) - 10_000_000_000n],
])('a transfer valid until %s carries its number or none', async (_name, validUntil, reference) => {
  const [sighting, ...more] = await sightedOf({ validUntil })
  expect(more).toEqual([])
  expect(sighting).toMatchObject({
    refundableSender: wallet.address,
    to: bed.treasury,
    amount: { units: ETH },
    index: 0,
    reference,
  })
})

test('a transfer of nothing, of another token, or from Ethereum is no deposit', async () => {
  expect(await sightedOf({ amount: '0' })).toEqual([])
  expect(await sightedOf({ token: 7 })).toEqual([])
  const { next } = await bed.adapter.scan(null, ours())
  await bed.local.fund(bed.native, bed.treasury, ETH)
  expect((await bed.adapter.scan(next, ours())).sightings).toEqual([])
})

test('a pending or rejected transfer is a deposit only once it is executed', async () => {
  const { next } = await bed.adapter.scan(null, ours())
  const waiting = await posted()
  const hash = String(await ask(bed.url, 'transactions', waiting))
  expect((await bed.adapter.scan(next, ours())).sightings).toEqual([])
  expect(await bed.adapter.inspect(hash, ours())).toMatchObject({ state: 'pending', sightings: [{ block: null }] })
  await bed.control('reject', { count: 1 })
  await bed.mine()
  expect(await bed.adapter.inspect(hash, ours())).toEqual({ state: 'unknown' })
  expect((await bed.adapter.scan(next, ours())).sightings).toEqual([])
  await ask(bed.url, 'transactions', waiting)
  await bed.mine()
  expect((await bed.adapter.scan(next, ours())).sightings.map(({ txHash }) => txHash)).toEqual([hash])
})

test('a flood that waits hides no deposit', async () => {
  const { next } = await bed.adapter.scan(null, ours())
  const { nonce } = await nonceOf()
  for (let gap = 2; gap < 130; gap++) await ask(bed.url, 'transactions', await posted({ nonce: nonce + gap }))
  const hash = String(await ask(bed.url, 'transactions', await posted({ validUntil: 10_000_000_777 })))
  await bed.mine()
  const { sightings } = await bed.adapter.scan(next, ours())
  expect(sightings.map(({ txHash, reference }) => [txHash, reference])).toEqual([[hash, 777n]])
  // The gap is filled, and all of them are in one block.
  await ask(bed.url, 'transactions', await posted({ nonce: nonce + 1 }))
  await bed.mine()
  expect((await bed.adapter.scan(next, ours())).sightings).toHaveLength(130)
})

test('a server that is behind hides nothing for good, and one that alters a transfer credits nothing', async () => {
  const cursor = (await bed.adapter.scan(null, ours())).next
  const [first] = await sightedOf({ validUntil: 10_000_000_001 })
  const { next } = await bed.adapter.scan(cursor, ours())
  const rows = (result: unknown) => (result as { list: { txHash: string; op: Record<string, unknown> }[] }).list
  const behind = await startProxy(bed.url, (path, result) =>
    path.includes('/transactions?') ? { list: rows(result).filter(({ txHash }) => txHash !== first?.txHash) } : result,
  )
  const lagging = await bed.open({ nodes: [behind.url] })
  await expect(lagging.scan(next, ours())).rejects.toThrow('it is behind')
  const early = await lagging.scan(cursor, ours())
  expect(early.sightings).toEqual([])
  expect((await bed.adapter.scan(early.next, ours())).sightings).toEqual([first])
  const liar = await startProxy(bed.url, (path, result) =>
    path.includes('/transactions?')
      ? { list: rows(result).map((row) => ({ ...row, op: { ...row.op, amount: '999000000000000000000' } })) }
      : result,
  )
  const lied = await (await bed.open({ nodes: [liar.url] })).scan(cursor, ours())
  expect(lied.sightings).toEqual([])
  expect(bed.log.lines.map(({ message }) => message)).toContain('a transfer is not what its hash says')
  await Promise.all([behind.stop(), liar.stop()])
})

test('an entry in an unknown state hides no other, and is a deposit once its state is known', async () => {
  const { next } = await bed.adapter.scan(null, ours())
  const [strange] = await sightedOf({ validUntil: 10_000_000_011 })
  const [plain] = await sightedOf({ validUntil: 10_000_000_012 })
  const isStrange = ({ txHash }: { txHash: string }) => txHash === strange?.txHash
  const odd = await startProxy(bed.url, (path, result) => {
    const { list, tx } = result as { list: { txHash: string }[]; tx: { txHash: string } }
    if (path.includes('/transactions?')) {
      return { list: [7, {}, ...list.map((row) => (isStrange(row) ? { ...row, status: 'verified' } : row))] }
    }
    return path.startsWith('transactions/') && isStrange(tx) ? { tx: { ...tx, status: 'verified' } } : result
  })
  const adapter = await bed.open({ nodes: [odd.url] })
  const first = await adapter.scan(next, ours())
  expect(first.sightings).toEqual([{ ...strange, block: null }, plain])
  expect(await adapter.inspect(strange?.txHash ?? '', ours())).toMatchObject({ state: 'pending' })
  expect(await bed.adapter.inspect(strange?.txHash ?? '', ours())).toMatchObject({ state: 'included' })
  // An entry older than the newest executed one is not read again: a stored one is queried by its hash.
  expect((await bed.adapter.scan(first.next, ours())).sightings).toEqual([])
  await expect(adapter.audit?.movements(bed.treasury, 1n, 2n)).rejects.toThrow('an unknown state')
  await odd.stop()
})

test('a text is verified for the address that signed it, and for no other', async () => {
  const { privateKeyToAccount } = await import('viem/accounts')
  const signature = await privateKeyToAccount(bed.user.secret as `0x${string}`).signMessage({ message: 'to me' })
  const verify = bed.adapter.messages?.verify
  expect(await verify?.({ address: bed.user.address, text: 'to me', signature })).toBe(true)
  expect(await verify?.({ address: bed.other.address, text: 'to me', signature })).toBe(false)
  expect(await verify?.({ address: bed.user.address, text: 'to you', signature })).toBe(false)
  expect(await verify?.({ address: bed.user.address, text: 'to me', signature: '0x' })).toBe(false)
})

test('the double refuses what the server would', async () => {
  const good = await posted()
  const refused = async (changed: object) => ask(bed.url, 'transactions', { ...good, ...changed })
  await expect(refused({ tx: { ...good.tx, amount: '1' } })).rejects.toThrow('Tx is incorrect')
  await expect(refused({ tx: { ...good.tx, amount: '34359738369' } })).rejects.toThrow('Tx is incorrect')
  const other = await openWallet(bed.other.secret, 11_155_111)
  if (good.tx.type !== 'Transfer') throw new Error('a transfer was made')
  const forged = await other.transfer({ ...good.tx })
  await expect(refused({ signature: forged.signature })).rejects.toThrow('Eth signature is incorrect')
  const { signature: _musig, ...op } = good.tx
  await expect(ask(bed.url, 'transactions', await wallet.transfer({ ...op, fee: '1000' }))).rejects.toThrow(
    'fee is too low',
  )
  await expect(ask(bed.url, 'transactions', await wallet.transfer({ ...op, nonce: 0 }))).rejects.toThrow(
    'nonce is too low',
  )
  const mainnet = await openWallet(bed.user.secret, 1)
  await expect(ask(bed.url, 'transactions', await mainnet.transfer(op))).rejects.toThrow('Tx is incorrect')
})

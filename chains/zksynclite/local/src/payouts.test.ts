/** Payouts beyond the conformance suite: the account's key, rounding, rejections, and what proves nothing. */
import { FeeAboveLimit, PayoutImpossible, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testNetwork } from './test-network.ts'
import { draw, ETH, payment, rivalOf, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

const KEY_CHANGE = 3_000_000_000_000n
const TO_NEW = 2_000_000_000_000n

/** Each case uses a nonce with no pending transaction. */
const drawn = async (name: string, units = ETH) => {
  const to = await bed.stranger(name)
  return { to, ...(await draw(bed.adapter, payment(bed, to, units))) }
}

test('the first payouts set the account’s key once, at an additional cost', async () => {
  const before = await bed.balance(bed.treasury)
  const one = await drawn('first')
  const two = await draw(bed.adapter, payment(bed, await bed.stranger('second'), ETH), [one.slot])
  expect(one.signed.feeCeiling).toBe(KEY_CHANGE + TO_NEW)
  expect([one.slot, two.slot]).toEqual([['1'], ['2']])
  for (const { signed } of [two, one]) await bed.adapter.broadcast(signed)
  await bed.mine()
  for (const each of [one, two]) {
    expect(await statusOf(bed.adapter, each)).toMatchObject({ state: 'included', feeUnits: TO_NEW })
  }
  expect(before - (await bed.balance(bed.treasury))).toBe(2n * ETH + 2n * TO_NEW + KEY_CHANGE)
  const later = await drawn('later')
  expect(later.signed.bytes.split('\n')).toHaveLength(1)
  expect(bed.adapter.allowances?.setupUnits).toBeGreaterThanOrEqual(KEY_CHANGE)
  const { number } = (await bed.adapter.balances([])).block ?? { number: 0n }
  const moved = (await bed.adapter.audit?.movements(bed.treasury, 1n, number)) ?? []
  expect(moved.filter(({ changes }) => changes[0]?.units === -KEY_CHANGE)).toMatchObject([{ slot: null }])
})

test('what cannot be written is sent as the most that can, and never more', async () => {
  const { to, signed, ...rest } = await drawn('rounded', 474_732_833_474n)
  await bed.adapter.broadcast(signed)
  await bed.mine()
  expect((await statusOf(bed.adapter, { ...rest, signed })).state).toBe('included')
  expect(await bed.balance(to)).toBe(474_732_833_400n)
})

describe('what the treasury holds', () => {
  const held = async (adapter: typeof bed.adapter) => adapter.balances([{ owner: bed.treasury, token: bed.native }])
  const pay = async (name: string) => {
    const { signed } = await drawn(name)
    await bed.adapter.broadcast(signed)
    await bed.mine()
  }

  test('is reported at the block where its history ends, if lagging servers answer', async () => {
    await pay('before')
    const then = await held(bed.adapter)
    expect(then.units).toEqual([await bed.balance(bed.treasury)])
    const old = new Map<string, unknown>()
    let isOld = false
    const lagging = await startProxy(bed.url, (path, result) => {
      if (!path.includes(`accounts/${bed.treasury}`)) return result
      if (!isOld) old.set(path, result)
      return old.get(path) ?? result
    })
    const adapter = await bed.open({ nodes: [lagging.url] })
    expect(await held(adapter)).toEqual(then)
    isOld = true
    await pay('since')
    expect(await held(adapter)).toEqual(then)
    expect((await held(bed.adapter)).units).not.toEqual(then.units)
    await lagging.stop()
  })

  test('is retried if its balance and its history are of different age', async () => {
    const list = `accounts/${bed.treasury}/transactions`
    const old = new Map<string, unknown>()
    const lagging = await startProxy(bed.url, (path, result) => {
      if (!path.includes(list)) return result
      if (!old.has(path)) old.set(path, result)
      return old.get(path)
    })
    const adapter = await bed.open({ nodes: [lagging.url] })
    await held(adapter)
    await pay('between')
    await expect(held(adapter)).rejects.toThrow(RetryLater)
    await lagging.stop()
  })

  test('is of a newer block once it has rested for long', async () => {
    const { finalDepth } = bed.network
    await pay('last')
    const { block, units } = await held(bed.adapter)
    await bed.mine(10 * finalDepth)
    const head = (await bed.adapter.balances([])).block
    const rested = await held(bed.adapter)
    expect(rested.units).toEqual(units)
    expect(rested.block?.number).toBe((head?.number ?? 0n) - 4n * BigInt(finalDepth))
    expect(rested.block?.number).toBeGreaterThan(block?.number ?? 0n)
  })
})

describe('nothing is reported dead', () => {
  test('because it was rejected: the same bytes are accepted later, and pay once', async () => {
    const { to, ...attempt } = await drawn('rejected')
    await bed.control('reject', { count: 1 })
    await bed.adapter.broadcast(attempt.signed)
    await bed.mine(bed.network.finalDepth + 1)
    expect(await statusOf(bed.adapter, attempt)).toEqual({ state: 'unknown' })
    expect(await bed.balance(to)).toBe(0n)
    await bed.adapter.broadcast(attempt.signed)
    await bed.mine()
    await bed.adapter.broadcast(attempt.signed)
    await bed.mine(bed.network.finalDepth)
    expect((await statusOf(bed.adapter, attempt)).state).toBe('included')
    expect(await bed.balance(to)).toBe(ETH)
  })

  test('because the network accepts nothing any more', async () => {
    const { to, ...attempt } = await drawn('closed')
    await bed.control('close', { closed: true })
    await expect(bed.adapter.broadcast(attempt.signed)).rejects.toThrow(/disabled.*609/)
    await expect(bed.adapter.broadcast(attempt.signed)).rejects.toThrow(RetryLater)
    await bed.mine(bed.network.finalDepth)
    expect(await statusOf(bed.adapter, attempt)).toEqual({ state: 'unknown' })
    await bed.control('close', { closed: false })
    await bed.adapter.broadcast(attempt.signed)
    await bed.mine()
    expect(await bed.balance(to)).toBe(ETH)
  })

  test('by a server that is behind, withholds the rival, or shows another content of it', async () => {
    const { to, ...unsent } = await drawn('loser')
    const rival = await rivalOf(bed.adapter, unsent, payment(bed, await bed.stranger('winner'), ETH))
    await bed.adapter.broadcast(rival.signed)
    await bed.mine(bed.network.finalDepth)
    const lists = (path: string) => path.includes('/transactions?')
    const rows = (result: unknown) => (result as { list: { txHash: string; op: Record<string, unknown> }[] }).list
    const lies: Record<string, (path: string, result: unknown) => unknown> = {
      behind: (path, result) =>
        path.endsWith('/finalized') ? { ...(result as object), nonce: Number(unsent.slot[0]) } : result,
      withholds: (path, result) =>
        lists(path) ? { list: rows(result).filter(({ txHash }) => txHash !== rival.signed.hash) } : result,
      alters: (path, result) =>
        lists(path)
          ? {
              list: rows(result).map((row) =>
                row.txHash === rival.signed.hash ? { ...row, op: { ...row.op, amount: '1' } } : row,
              ),
            }
          : result,
      shallow: (path, result) => (path === 'blocks/lastCommitted' ? { ...(result as object), blockNumber: 1 } : result),
    }
    for (const [name, lie] of Object.entries(lies)) {
      const liar = await startProxy(bed.url, lie)
      const alone = await bed.open({ nodes: [liar.url] })
      expect(await statusOf(alone, unsent), name).toEqual({ state: 'unknown' })
      const beside = await bed.open({ nodes: [bed.url, liar.url] })
      // The lag of a server that is only asked for a hint does no harm: the others read everything.
      if (name !== 'behind') expect(await statusOf(beside, unsent), `${name}, beside`).toEqual({ state: 'unknown' })
      await liar.stop()
    }
    expect(await statusOf(bed.adapter, unsent)).toMatchObject({
      state: 'dead',
      evidence: { usedBy: rival.signed.hash },
    })
    await bed.adapter.broadcast(unsent.signed)
    await bed.mine(2)
    expect(await bed.balance(to)).toBe(0n)
  })
})

test('an answer about another transaction is no landing', async () => {
  const paid = await drawn('paid')
  await bed.adapter.broadcast(paid.signed)
  await bed.mine()
  const unsent = await draw(bed.adapter, payment(bed, await bed.stranger('not paid'), ETH))
  const liar = await startProxy(bed.url, (path, result) => {
    if (!path.endsWith('/data') || !path.includes(unsent.signed.hash)) return result
    return { tx: { txHash: unsent.signed.hash, blockNumber: 3, status: 'committed', op: opOf(paid.signed.bytes) } }
  })
  expect(await statusOf(await bed.open({ nodes: [liar.url] }), unsent)).toEqual({ state: 'unknown' })
  await liar.stop()
})

test('a fee above the ceiling waits, and a draft with one is not signed', async () => {
  const order = payment(bed, await bed.stranger('dear'), ETH)
  const draft = await bed.adapter.prepare(order, null)
  await bed.control('fees', { times: '1000' })
  await expect(bed.adapter.prepare(order, null)).rejects.toThrow(FeeAboveLimit)
  await bed.control('fees', { times: '1' })
  const [account, nonce] = draft.split(' ')
  const signatures = bed.signer.intents.length
  for (const terms of [
    `${account} ${nonce} 1001000000000000`,
    `${account} ${nonce} 1000 1 1001000000000000`,
    `${account} ${nonce} 2049`,
  ]) {
    await expect(bed.adapter.sign(order, ['9'], terms)).rejects.toThrow(FeeAboveLimit)
    expect(() => bed.adapter.maxSigningCost(order, ['9'], terms)).toThrow(FeeAboveLimit)
  }
  expect(bed.signer.intents.length).toBe(signatures)
  expect(bed.adapter.maxSigningCost(order, ['9'], `${account} ${nonce} 1000 1 3000`)).toEqual({ feeUnits: 4_000n })
  for (const slot of [['09'], ['9', '10'], [], ['4294967296'], ['9 ']]) {
    await expect(bed.adapter.sign(order, slot, draft)).rejects.toThrow('not a slot')
  }
})

test('a fee that rose while it waited is refused by the server, and raised in the same nonce', async () => {
  const { to, ...attempt } = await drawn('too cheap')
  await bed.control('fees', { times: '3' })
  await expect(bed.adapter.broadcast(attempt.signed)).rejects.toThrow('fee is too low')
  const draft = await bed.adapter.prepare(attempt.order, attempt.signed)
  const dearer = { ...attempt, draft, signed: await bed.adapter.sign(attempt.order, attempt.slot, draft) }
  await bed.adapter.broadcast(dearer.signed)
  await bed.mine()
  expect(await statusOf(bed.adapter, dearer)).toMatchObject({ state: 'included', feeUnits: 3n * TO_NEW })
  await bed.control('fees', { times: '1' })
  await bed.adapter.broadcast(attempt.signed)
  await bed.mine(bed.network.finalDepth)
  expect(await bed.balance(to)).toBe(ETH)
  expect((await statusOf(bed.adapter, attempt)).state).toBe('dead')
})

test('only the account’s next transaction is hastened: more is not paid for those that wait behind it', async () => {
  const first = await drawn('next')
  const second = await draw(bed.adapter, payment(bed, await bed.stranger('behind'), ETH), [first.slot])
  await bed.adapter.broadcast(second.signed)
  await bed.mine()
  expect(await statusOf(bed.adapter, second)).toEqual({ state: 'pending' })
  await expect(bed.adapter.prepare(second.order, second.signed)).rejects.toThrow(`waits for the account's transaction`)
  await expect(bed.adapter.prepare(first.order, first.signed)).resolves.toBeDefined()
  await bed.adapter.broadcast(first.signed)
  await bed.mine()
  for (const each of [first, second]) expect((await statusOf(bed.adapter, each)).state).toBe('included')
})

test('the signed bytes, read by other code, pay exactly the order from our account', async () => {
  const { to, signed, slot } = await drawn('exactly', 5n * ETH)
  expect(opOf(signed.bytes)).toMatchObject({
    ...{ type: 'Transfer', from: bed.treasury, to, token: 0, amount: `${5n * ETH}`, nonce: Number(slot[0]) },
    ...{ fee: `${TO_NEW}`, validFrom: 0, validUntil: 4_294_967_295 },
  })
})

test('no address that loses money is paid, and nothing too small to be sent', async () => {
  for (const to of [bed.adapter.nativeAddress, '0x000000000000000000000000000000000000dEaD']) {
    await expect(bed.adapter.prepare(payment(bed, to, ETH), null)).rejects.toThrow(PayoutImpossible)
  }
})

test.each([
  [{}, 'ethereum_chain_id must be'],
  [{ ethereum_chain_id: 11_155_111, max_fee: '0' }, 'max_fee must be'],
  [{ ethereum_chain_id: 11_155_111, max_fe: '1' }, 'max_fe is unknown'],
  [{ ethereum_chain_id: 11_155_111, request_timeout_ms: 1 }, 'request_timeout_ms must be'],
])('settings %j are refused with a word about what is wrong', async (settings, reason) => {
  await expect(bed.open({ settings })).rejects.toThrow(reason)
})

test('another token is refused: its fee would be missing in the ledger', async () => {
  const { tokens } = testNetwork()
  const token = { ...bed.native, symbol: 'USDC', contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }
  await expect(bed.open({ tokens: [...tokens, token] })).rejects.toThrow('only the native token can be served')
})

function opOf(bytes: string): Record<string, unknown> {
  return JSON.parse(bytes.split('\n').at(-1) ?? '').tx
}

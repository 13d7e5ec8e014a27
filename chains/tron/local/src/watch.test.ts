/** The scan: its requests, how a lagging node affects it, and branches. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { type Body, drain, draw, payment, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed?.local.stop())

test('one request per poll while nothing happens, two for an empty block, three for one with transactions', async () => {
  const proxy = await startProxy(bed.url, (_path, _body, truth) => truth())
  const adapter = await bed.open({ nodes: [proxy.url] })
  const ours = staticWatchlist(bed.treasury)
  let cursor = (await adapter.scan(null, ours)).next
  const asked = async (): Promise<Record<string, number>> => {
    for (const path of Object.keys(proxy.counts)) delete proxy.counts[path]
    cursor = (await adapter.scan(cursor, ours)).next
    return { ...proxy.counts }
  }
  expect(await asked()).toEqual({ 'wallet/getblock': 1 })
  await bed.mine(1)
  expect(await asked()).toEqual({ 'wallet/getblock': 1, 'wallet/getblockbylimitnext': 1 })
  await bed.local.transfer(bed.user, bed.native, bed.other.address, 1_000_000n)
  expect(await asked()).toEqual({
    'wallet/getblock': 1,
    'wallet/getblockbylimitnext': 1,
    'wallet/gettransactioninfobyblocknum': 1,
  })
  await proxy.stop()
})

test('a node that is some blocks behind has nothing new to say, and is not another branch', async () => {
  const { adapter, mine } = bed
  const start = (await drain(adapter, null)).next
  await mine(5)
  const { next, head } = await drain(adapter, start)
  const behind = await startProxy(bed.url, (path, body, truth) => {
    const isHead = path === 'wallet/getblock' && body.id_or_num === undefined
    return isHead ? bed.ask('wallet/getblock', { id_or_num: `${head.number - 3n}`, detail: false }) : truth()
  })
  const lagging = await bed.open({ nodes: [behind.url] })
  const ours = staticWatchlist(bed.treasury)
  expect(await lagging.scan(next, ours)).toMatchObject({ next, reorgFrom: null, sightings: [], scannedTo: head.number })
  // A node so far behind that the cursor does not remember its block is waited for.
  const newest = (await drain(adapter, null)).next
  await expect(lagging.scan(newest, ours)).rejects.toThrow(RetryLater)
  await behind.stop()
})

test('a branch is cut at the fork point, and read again from there', async () => {
  const { adapter, mine, local, network, user, native, treasury } = bed
  const start = (await drain(adapter, null)).next
  await mine(5)
  const lost = await local.transfer(user, native, treasury, 2_000_000n)
  const before = await drain(adapter, start)
  expect(before.sightings.map(({ txHash }) => txHash)).toEqual([lost])
  await local.reorg(network.name, 3)
  const kept = await local.transfer(user, native, treasury, 3_000_000n)
  const after = await drain(adapter, before.next)
  expect(after.sightings.map(({ txHash }) => txHash)).toEqual([kept])
  const scan = await adapter.scan(before.next, staticWatchlist(treasury))
  expect(scan.reorgFrom).toBe(before.head.number - 2n)
  await expect(local.reorg(network.name, 20)).rejects.toThrow('solid ones stay')
})

/** A node whose block does not match its root: one more result than the block has. */
async function oddNode(isOdd: () => boolean = () => true) {
  return startProxy(bed.url, async (path, _, truth) => {
    const told = (await truth()) as { block?: { transactions?: Body[] }[] }
    if (path !== 'wallet/getblockbylimitnext' || !isOdd()) return told
    const strange = (one: Body) => ({ ...one, ret: [{ contractRet: 'SUCCESS' }, {}] })
    return { block: told.block?.map((block) => ({ ...block, transactions: block.transactions?.map(strange) })) }
  })
}

test('a block that proves nothing does not stop the scan: it is accepted once every node agrees', async () => {
  const { adapter, mine, user, native, local, treasury, log } = bed
  const { next } = await drain(adapter, null)
  const txHash = await local.transfer(user, native, treasury, 2_000_000n)
  await mine(1)
  const [odd, other] = [await oddNode(), await oddNode()]
  const ours = staticWatchlist(treasury)
  const one = await bed.open({ nodes: [odd.url] })
  await expect(one.scan(next, ours)).rejects.toThrow('does not hold what its header says')
  expect((await one.scan(next, ours)).sightings).toMatchObject([{ txHash }])
  const [line] = log.lines.filter(({ level }) => level === 'error')
  expect(line?.message).toBe('a block does not hold what its header says')
  // Of two nodes, both are asked before it is accepted.
  const two = await bed.open({ nodes: [odd.url, other.url] })
  expect((await two.scan(next, ours)).sightings).toMatchObject([{ txHash }])
  expect(other.counts['wallet/getblockbylimitnext']).toBe(1)
  // If one of them can prove it, no other is trusted.
  const honest = await bed.open({ nodes: [odd.url, bed.url] })
  expect((await honest.scan(next, ours)).sightings).toMatchObject([{ txHash }])
  for (const proxy of [odd, other]) await proxy.stop()
})

test('an offline node does not stop it: more than half must agree, and all that answer are asked', async () => {
  const { adapter, mine, user, native, local, treasury } = bed
  const { next } = await drain(adapter, null)
  const txHash = await local.transfer(user, native, treasury, 2_000_000n)
  await mine(1)
  const [odd, other] = [await oddNode(), await oddNode()]
  const honest = await startProxy(bed.url, (_path, _body, truth) => truth())
  const ours = staticWatchlist(treasury)
  const away = 'http://127.0.0.1:1'
  const words = 'does not hold what its header says'
  const most = await bed.open({ nodes: [odd.url, away, other.url] })
  await expect(most.scan(next, ours)).rejects.toThrow(words)
  expect((await most.scan(next, ours)).sightings).toMatchObject([{ txHash }])
  // A node that can prove it is asked before the others are trusted.
  const asked = await bed.open({ nodes: [odd.url, other.url, honest.url] })
  expect((await asked.scan(next, ours)).sightings).toMatchObject([{ txHash }])
  expect(honest.counts['wallet/getblockbylimitnext']).toBe(1)
  // Half is not enough, nor are fewer than the operator's quorum.
  const few = await bed.open({ nodes: [odd.url, away] })
  const strict = await bed.open({ nodes: [odd.url, away, other.url], quorum: 3 })
  for (let times = 0; times < 4; times++) {
    await expect(few.scan(next, ours)).rejects.toThrow(RetryLater)
    await expect(strict.scan(next, ours)).rejects.toThrow(RetryLater)
  }
  for (const proxy of [odd, other, honest]) await proxy.stop()
})

test('a rate limit in HTTP status 200 is no refusal: the next node is asked', async () => {
  const limited = await startProxy(bed.url, () => ({
    Error: 'class java.lang.IllegalAccessException : lack of computing resources',
  }))
  const open = await bed.open({ nodes: [limited.url, bed.url] })
  const { units } = await open.balance(bed.treasury, bed.native)
  expect(units).toBe((await bed.adapter.balance(bed.treasury, bed.native)).units)
  expect(open.nodeHealth?.().map(({ trouble }) => trouble)).toEqual(['NodeFailure', null])
  await limited.stop()
})

test('a block that a node cannot print does not stop the scan: its transactions are read one by one', async () => {
  const { adapter, mine, user, native, local, other, treasury } = bed
  const { next } = await drain(adapter, null)
  await mine(3)
  const hidden = await local.transfer(user, native, other.address, 1_000_000n)
  const { block_header } = (await bed.ask('wallet/getnowblock')) as { block_header: { raw_data: { number: number } } }
  const { number } = block_header.raw_data
  await mine(2)
  const txHash = await local.transfer(user, native, treasury, 3_000_000n)
  const error = { Error: 'class com.google.protobuf.InvalidProtocolBufferException : an end-group tag' }
  const unprintable = (isHidden: boolean) =>
    startProxy(bed.url, (path, body, truth) => {
      if (path === 'wallet/getblockbylimitnext' && Number(body.startNum) <= number && Number(body.endNum) > number) {
        return error
      }
      return isHidden && path === 'wallet/gettransactionbyid' && body.value === hidden ? error : truth()
    })
  const ours = staticWatchlist(treasury)
  // Shown one by one, the block proves itself.
  const whole = await unprintable(false)
  const seen = await drain(await bed.open({ nodes: [whole.url] }), next)
  expect(seen.sightings).toMatchObject([{ txHash }])
  // If one transaction cannot be printed at all, every node must agree on the others, and an operator is alerted.
  const [odd, second] = [await unprintable(true), await unprintable(true)]
  const agreed = await bed.open({ nodes: [odd.url, second.url] })
  let last = next
  let found: unknown[] = []
  for (let times = 0; times < 8 && found.length === 0; times++) {
    const scan = await agreed.scan(last, ours).catch((failed: unknown) => expect(failed).toBeInstanceOf(RetryLater))
    if (!scan) continue
    last = scan.next
    found = scan.sightings
  }
  expect(found).toMatchObject([{ txHash }])
  const told = bed.log.lines.findLast(({ message }) => message === 'a node cannot print a transaction')
  expect(told?.fields).toMatchObject({ block: BigInt(number), missing: [hidden] })
  for (const proxy of [whole, odd, second]) await proxy.stop()
})

test('one node’s answer for an unproven block makes no payout dead or failed, an operator’s does', async () => {
  const { adapter, mine, user, native, local, other, treasury } = bed
  // Nothing else is in the blocks that it could be in.
  await mine(25)
  const drawn = await draw(adapter, payment(treasury, await bed.stranger('odd'), native, 1_000_000n))
  await local.transfer(user, native, other.address, 1_000_000n)
  const { blockID } = (await bed.ask('wallet/getnowblock')) as { blockID: string }
  await mine(90)
  const odd = await oddNode()
  const deceived = await bed.open({ nodes: [odd.url] })
  for (let times = 0; times < 3; times++) {
    const state = await statusOf(deceived, drawn).then(
      (status) => status.state,
      () => 'unknown',
    )
    expect(state).toBe('unknown')
  }
  const vouched = await bed.open({
    nodes: [odd.url],
    settings: { ...bed.network.settings, unproven_blocks: [blockID] },
  })
  expect((await statusOf(vouched, drawn)).state).toBe('dead')
  const told = bed.log.lines.findLast(({ message }) => message.startsWith('a payout cannot be proven dead'))
  expect(told?.fields).toMatchObject({ payout: drawn.signed.hash, blocks: [expect.stringContaining(blockID)] })
  await odd.stop()
})

test('a payout is dead by unproven blocks if several nodes agree on them, and not if they differ', async () => {
  const { adapter, mine, user, native, local, other, treasury } = bed
  await mine(25)
  const drawn = await draw(adapter, payment(treasury, await bed.stranger('odd too'), native, 1_000_000n))
  await local.transfer(user, native, other.address, 1_000_000n)
  await mine(90)
  const [odd, second] = [await oddNode(), await oddNode()]
  // It omits a transaction that may be the payout.
  const hiding = await startProxy(second.url, async (path, _, truth) => {
    const told = (await truth()) as { block?: { transactions?: Body[] }[] }
    if (path !== 'wallet/getblockbylimitnext') return told
    return { block: told.block?.map((block) => ({ ...block, transactions: block.transactions?.slice(1) })) }
  })
  const stateOf = async (...nodes: string[]) => {
    const open = await bed.open({ nodes })
    const states: string[] = []
    for (let times = 0; times < 3; times++) {
      states.push(
        await statusOf(open, drawn).then(
          ({ state }) => state,
          () => 'unknown',
        ),
      )
    }
    return states.at(-1)
  }
  expect(await stateOf(odd.url, hiding.url)).toBe('unknown')
  expect(await stateOf(odd.url, 'http://127.0.0.1:1')).toBe('unknown')
  expect(await stateOf(odd.url, second.url)).toBe('dead')
  for (const proxy of [hiding, odd, second]) await proxy.stop()
})

test('balances are of one block, and a wallet that moves while it is read is read again', async () => {
  const { treasury, native, usdt, mine } = bed
  let reads = 0
  const moving = await startProxy(bed.url, async (path, _, truth) => {
    const told = await truth()
    // A block arrives during the first read.
    if (path === 'wallet/getaccount' && reads++ === 0) await mine(1)
    return told
  })
  const adapter = await bed.open({ nodes: [moving.url] })
  const { block, units } = await adapter.balances([native, usdt].map((token) => ({ owner: treasury, token })))
  const head = (await drain(bed.adapter, null)).head
  expect(block).toEqual(head)
  expect(units).toEqual([await bed.balance(treasury, native), await bed.balance(treasury, usdt)])
  expect(reads).toBe(4)
  await moving.stop()
})

test('the head alone is read at once, though a block arrives with every request', async () => {
  const restless = await startProxy(bed.url, async (_, __, truth) => {
    await bed.mine(1)
    return truth()
  })
  const adapter = await bed.open({ nodes: [restless.url] })
  const { block, units } = await adapter.balances([])
  expect(units).toEqual([])
  expect(block).toEqual((await drain(bed.adapter, null)).head)
  await restless.stop()
})

test('a node that lags behind the head and answers twice in a row is rejected', async () => {
  const { treasury, native, mine, local, user } = bed
  const balances = (adapter: typeof bed.adapter) => adapter.balances([{ owner: treasury, token: native }])
  await mine(1)
  let [old, times]: [unknown, number] = [null, 0]
  const lagging = await startProxy(bed.url, async (path, _, truth) => {
    if (path !== 'wallet/getaccount') return truth()
    old ??= await truth()
    return times-- > 0 ? old : truth()
  })
  const adapter = await bed.open({ nodes: [lagging.url] })
  const before = await balances(adapter)
  await local.transfer(user, native, treasury, 5n)
  await mine(1)
  times = 2
  const { units } = await balances(adapter)
  expect(units).toEqual([await bed.balance(treasury, native)])
  expect(units).not.toEqual(before.units)
  await lagging.stop()
})

test('a backend stuck on an orphaned branch makes nothing deep or final, though another knows the head', async () => {
  const { adapter, treasury, native, user, mine, local, network } = bed
  const ours = staticWatchlist(treasury)
  await mine(6)
  const before = (await drain(adapter, null)).next
  const drawn = await draw(adapter, payment(treasury, await bed.stranger('gone with its branch'), native, 1_000_000n))
  await adapter.broadcast(drawn.signed)
  const deposit = await local.transfer(user, native, treasury, 5_000_000n)
  const seen = await adapter.inspect(deposit, ours)
  const newest = seen.state === 'included' ? Number(seen.block.number) : 0
  const questions: [string, Body][] = [newest - 1, newest].flatMap((number): [string, Body][] => [
    ['wallet/getblock', { id_or_num: `${number}`, detail: false }],
    ['wallet/getblockbylimitnext', { startNum: number, endNum: number + 1 }],
  ])
  for (const value of [deposit, drawn.signed.hash]) questions.push(['wallet/gettransactioninfobyid', { value }])
  const kept = new Map<string, unknown>()
  for (const [path, body] of questions) kept.set(JSON.stringify([path, body]), await bed.ask(path, body))
  // Neither of them is mined again.
  await local.reorg(network.name, 2)
  const balancer = await startProxy(bed.url, (path, body, truth) => kept.get(JSON.stringify([path, body])) ?? truth())
  const deceived = await bed.open({ nodes: [balancer.url] })
  // While none of it is solid, the scan knows the canonical branch.
  await mine(8)
  await drain(deceived, before)
  await expect(deceived.inspect(deposit, ours)).rejects.toThrow(RetryLater)
  await expect(statusOf(deceived, drawn)).rejects.toThrow(RetryLater)
  // Later the chain itself shows it, also to an adapter that has not scanned it.
  await mine(32)
  const unread = await bed.open({ nodes: [balancer.url] })
  await expect(unread.inspect(deposit, ours)).rejects.toThrow(RetryLater)
  await expect(statusOf(unread, drawn)).rejects.toThrow(RetryLater)
  await balancer.stop()
  expect((await adapter.inspect(deposit, ours)).state).toBe('unknown')
})

/** Nodes that lag, withhold, alter and hang: they are trusted as far as hashes prove their answers, and no further. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { blockHash } from '../../src/block.ts'
import { block, header } from '../../src/node/calls.ts'
import { addressOn } from './accounts.ts'
import { sendOf } from './foreign-messages.ts'
import {
  type Answer,
  drain,
  person,
  sendAs,
  startChain,
  startProxy,
  type TestChain,
  type Told,
  type ToldEvent,
  toldIn,
  type Wire,
} from './testbed.ts'

let chain: TestChain
const alice = person(0)
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

interface Named {
  hash: string
}

interface Headed {
  header: Record<string, unknown>
}

const ours = () => staticWatchlist(chain.treasury)

/** The adapter on a node that alters another node's answers. */
async function behind(change: (request: Wire, answer: Answer) => unknown, settings: Record<string, unknown> = {}) {
  const proxy = await startProxy(chain.url, change)
  onTestFinished(proxy.stop)
  return chain.open({ nodes: [proxy.url], settings: { ...chain.network.settings, ...settings } })
}

/** A deposit, and the cursor before it. */
async function deposited(units = 5n) {
  const { adapter, treasury, network } = chain
  const { next } = await adapter.scan(null, ours())
  const from = addressOn(network, alice)
  const hash = await sendAs(chain, alice, { messages: [sendOf(from, treasury, { denom: 'uosmo', units })], memo: '42' })
  return { next, hash }
}

it('a transaction omitted from its block is noticed: the scan does not continue past it', async () => {
  const { next } = await deposited()
  const liar = await behind(({ method }, answer) => {
    if (method === 'block') toldIn(answer).block.data.txs = []
    return answer
  })
  await expect(liar.scan(next, ours())).rejects.toThrow('other transactions')
  await expect(liar.scan(next, ours())).rejects.toThrow(RetryLater)
})

it('a transaction that is put into a block is no part of it', async () => {
  const { next, hash } = await deposited()
  const liar = await behind(({ method }, answer) => {
    if (method === 'block') toldIn(answer).block.data.txs.push(Buffer.from('forged').toString('base64'))
    if (method === 'block_results') toldIn(answer).txs_results?.push({ code: 0, events: [] })
    return answer
  })
  await expect(liar.scan(next, ours())).rejects.toThrow('other transactions')
  await expect(liar.inspect(hash, ours())).rejects.toThrow('other transactions')
})

it('a header that was changed has another hash', async () => {
  const { next } = await deposited()
  const liar = await behind(({ method }, answer) => {
    if (method === 'block') toldIn(answer).block.header.time = '2026-01-01T00:00:00.000000001Z'
    return answer
  })
  await expect(liar.scan(next, ours())).rejects.toThrow('not that of its header')
})

it('a block that does not follow its parent stops the scan and raises an alert', async () => {
  const { adapter, log, mine } = chain
  const { next } = await adapter.scan(null, ours())
  await mine(2)
  const [height] = next.split(' ')
  const rolledBack = `${height} ${'AB'.repeat(32)}`
  log.lines.length = 0
  await expect(adapter.scan(rolledBack, ours())).rejects.toThrow(RetryLater)
  expect(log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
    'a block does not follow the one before: the chain was rolled back, or a node lies',
  ])
})

it('withheld or altered events are noticed if the block has a plain send', async () => {
  const { next, hash } = await deposited()
  const edit = (change: (events: ToldEvent[]) => ToldEvent[]) =>
    behind(({ method }, answer) => {
      if (method === 'block_results')
        for (const one of toldIn(answer).txs_results ?? []) one.events = change(one.events)
      return answer
    })
  const silent = await edit((events) => events.filter(({ type }) => type !== 'coin_received'))
  await expect(silent.scan(next, ours())).rejects.toThrow('does not tell')
  await expect(silent.inspect(hash, ours())).rejects.toThrow('does not tell')
  const generous = await edit((events) =>
    events.map((event) => JSON.parse(JSON.stringify(event).replaceAll('"5uosmo"', '"5000uosmo"'))),
  )
  await expect(generous.scan(next, ours())).rejects.toThrow('does not tell')
})

it('a failed transaction that is shown as a good one is found out as soon as the next header is there', async () => {
  const { adapter, treasury, network, mine } = chain
  const { next } = await adapter.scan(null, ours())
  const from = addressOn(network, alice)
  const broke = { messages: [sendOf(from, treasury, { denom: 'uosmo', units: 10n ** 30n })], memo: '42' }
  const hash = await sendAs(chain, alice, broke)
  await mine(2)
  const liar = await behind(({ method }, answer) => {
    if (method !== 'block_results') return answer
    const amount = `${10n ** 30n}uosmo`
    for (const one of toldIn(answer).txs_results ?? []) {
      one.code = 0
      const attributes = [
        { key: 'receiver', value: treasury },
        { key: 'amount', value: amount },
        { key: 'msg_index', value: '0' },
      ]
      one.events.push({ type: 'coin_received', attributes })
    }
    return answer
  })
  await expect(liar.inspect(hash, ours())).rejects.toThrow('other results')
  await expect(liar.scan(next, ours())).rejects.toThrow('other results')
  expect(await adapter.inspect(hash, ours())).toMatchObject({ state: 'failed' })
})

it('a good transaction of the newest block shown as failed is seen once the next header is there', async () => {
  const { adapter, treasury, mine, log } = chain
  const { next, hash } = await deposited(6n)
  const found = await adapter.inspect(hash, ours())
  const newest = found.state === 'included' ? found.block.number : 0n
  const liar = await behind(({ method }, answer) => {
    if (method === 'status') toldIn(answer).sync_info.latest_block_height = newest.toString()
    if (method !== 'block_results') return answer
    for (const one of toldIn(answer).txs_results ?? []) Object.assign(one, { code: 5, events: [] })
    return answer
  })
  let cursor = next
  for (let reached = 0n; reached < newest; ) {
    const scan = await liar.scan(cursor, ours())
    expect(scan.sightings).toEqual([])
    ;[cursor, reached] = [scan.next, scan.scannedTo]
  }
  await mine(1)
  log.lines.length = 0
  expect((await drain(adapter, cursor, treasury)).map(({ txHash }) => txHash)).toEqual([hash])
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
})

it('a node that shows a seen transaction as failed does not undo it', async () => {
  const { treasury, adapter } = chain
  const { next, hash } = await deposited()
  let isLying = false
  const turncoat = await behind(
    ({ method }, answer) => {
      if (isLying && method === 'block_results') for (const one of toldIn(answer).txs_results ?? []) one.code = 5
      return answer
    },
    { check_results_hash: false },
  )
  expect(await drain(turncoat, next, treasury)).toHaveLength(1)
  isLying = true
  await expect(turncoat.inspect(hash, ours())).rejects.toThrow('as it was seen')
  expect(await adapter.inspect(hash, ours())).toMatchObject({ state: 'included' })
})

it('with a quorum of two, a node that disagrees brings nothing', async () => {
  const { open, network, url } = chain
  const { hash } = await deposited()
  const proxy = await startProxy(chain.url, ({ method }, answer) => {
    if (method === 'block_results') for (const one of toldIn(answer).txs_results ?? []) one.code = 5
    return answer
  })
  onTestFinished(proxy.stop)
  const settings = { ...network.settings, check_results_hash: false }
  const both = await open({ nodes: [proxy.url, url], quorum: 2, settings })
  await expect(both.inspect(hash, ours())).rejects.toThrow(RetryLater)
  const honest = await open({ nodes: [proxy.url, url, url.replace('127.0.0.1', 'localhost')], quorum: 2, settings })
  expect(await honest.inspect(hash, ours())).toMatchObject({ state: 'included' })
})

it('with a quorum of two, the scan does not continue from a block that one node invents', async () => {
  const { open, url, mine } = chain
  const { next, head } = await chain.adapter.scan(null, ours())
  await mine(2)
  const after = head.number + 1n
  const inventor = await startProxy(chain.url, ({ method, params }, answer) => {
    if (method === 'status') toldIn(answer).sync_info.latest_block_height = after.toString()
    if (!('height' in params) || String(params.height) !== after.toString()) return answer
    const told = answer.result as {
      block_id: Named
      block: Headed
      signed_header: Headed & { commit: { block_id: Named } }
    }
    if (method === 'block') {
      told.block.header.app_hash = 'AB'.repeat(32)
      told.block_id.hash = blockHash(block(after).read(told).header)
    } else if (method === 'commit') {
      told.signed_header.header.app_hash = 'AB'.repeat(32)
      told.signed_header.commit.block_id.hash = blockHash(header(after).read(told).header)
    }
    return answer
  })
  onTestFinished(inventor.stop)
  const believing = await open({ nodes: [inventor.url] })
  const { next: astray } = await believing.scan(next, ours())
  await expect(chain.adapter.scan(astray, ours())).rejects.toThrow('does not follow')
  const careful = await open({ nodes: [inventor.url, url, url.replace('127.0.0.1', 'localhost')], quorum: 2 })
  await expect(careful.scan(next, ours())).rejects.toThrow('do not agree')
  expect(careful.nodeHealth()[0]).toMatchObject({ differed: 1, rests: true })
  const { next: onTheWay } = await careful.scan(next, ours())
  expect(await chain.adapter.scan(onTheWay, ours())).toMatchObject({ reorgFrom: null })
})

it('results that are not there yet are waited for, and none is skipped', async () => {
  const { adapter, treasury, set } = chain
  const { next, hash } = await deposited()
  const [height = '0'] = next.split(' ')
  await set({ halted: true, resultsMissingFrom: (await newest()).toString() })
  try {
    const early = await adapter.scan(next, ours())
    expect(early.scannedTo).toBeLessThan(early.head.number)
    await set({ resultsMissingFrom: (BigInt(height) + 1n).toString() })
    await chain.mine(3)
    await expect(adapter.scan(next, ours())).rejects.toThrow('no results')
  } finally {
    await set({ halted: false, resultsMissingFrom: null })
  }
  expect((await drain(adapter, next, treasury)).map(({ txHash }) => txHash)).toContain(hash)
  async function newest() {
    const found = await adapter.inspect(hash, ours())
    return found.state === 'included' ? found.block.number : 0n
  }
})

it('a node that lags moves nothing, and undoes nothing', async () => {
  const { adapter, mine } = chain
  await mine(5)
  const { next, head } = await adapter.scan(null, ours())
  const late = await behind(({ method }, answer) => {
    if (method === 'status') toldIn(answer).sync_info.latest_block_height = (head.number - 4n).toString()
    return answer
  })
  const scan = await late.scan(next, ours())
  expect(scan).toEqual({ sightings: [], next, head, scannedTo: head.number, reorgFrom: null })
})

it('a balancer whose backends are of different age is read as far as each of them goes', async () => {
  const { adapter, treasury } = chain
  const { next, hash } = await deposited()
  await chain.mine(4)
  const [height = '0'] = next.split(' ')
  const limit = BigInt(height) + 2n
  const uneven = await behind(({ method, params }, answer) => {
    if (method === 'block' && BigInt(String(params.height)) > limit)
      return {
        error: { code: -32603, message: 'Internal error', data: 'height must be less than or equal to the current' },
      }
    return answer
  })
  const scan = await uneven.scan(next, ours())
  expect(scan.scannedTo).toBe(limit)
  const rest = await drain(adapter, scan.next, treasury)
  expect([...scan.sightings, ...rest].filter(({ txHash }) => txHash === hash)).toHaveLength(1)
})

it('a halted chain, a syncing node, and a node of another chain are not used', async () => {
  const { next } = await chain.adapter.scan(null, ours())
  const edit = async (change: (status: Told) => void, settings: Record<string, unknown> = {}) =>
    behind(({ method }, answer) => {
      if (method === 'status') change(toldIn(answer))
      return answer
    }, settings)
  const old = new Date(Date.now() - 121_000).toISOString()
  const still = await edit(({ sync_info }) => Object.assign(sync_info, { latest_block_time: old }))
  await expect(still.scan(next, ours())).rejects.toThrow('stands still')
  const patient = await edit(({ sync_info }) => Object.assign(sync_info, { latest_block_time: old }), {
    max_head_age_seconds: 600,
  })
  expect(await patient.scan(next, ours())).toMatchObject({ reorgFrom: null })
  const behindTheRest = await edit(({ sync_info }) => Object.assign(sync_info, { catching_up: true }))
  await expect(behindTheRest.scan(next, ours())).rejects.toThrow('catching up')
  const other = await edit(({ node_info }) => Object.assign(node_info, { network: 'osmosis-1' }))
  await expect(other.scan(next, ours())).rejects.toThrow('osmosis-1')
})

it('another chain of the same id is identified by its first block', async () => {
  const { network, open, node } = chain
  const [{ hash }] = await node.ask([header(1n)])
  const right = await open({ settings: { ...network.settings, first_block: `1 ${hash}` } })
  expect(await right.scan(null, ours())).toMatchObject({ reorgFrom: null })
  const wrong = await open({ settings: { ...network.settings, first_block: `1 ${'00'.repeat(32)}` } })
  await expect(wrong.scan(null, ours())).rejects.toThrow('another chain of the id')
})

it('a backend that does not have the newest height yet is asked again for balances', async () => {
  const { adapter, treasury, network } = chain
  const wanted = [{ owner: treasury, token: network.nativeToken }]
  for (const late of ['commit', 'abci_query']) {
    let refused = 0
    const lagging = await behind(({ method }, answer) => {
      if (method !== late || refused++ > 0) return answer
      const message = 'height must be less than or equal to the current blockchain height'
      return { ...answer, result: undefined, error: { code: -32603, message: 'Internal error', data: message } }
    })
    expect((await lagging.balances(wanted)).units).toEqual((await adapter.balances(wanted)).units)
    expect(refused).toBeGreaterThan(1)
  }
})

it('movements include failed transactions and coins from the block itself', async () => {
  const { adapter, treasury, network, local, mine } = chain
  const start = (await adapter.balances([])).block?.number ?? 0n
  await local.fund(network.nativeToken, treasury, 17n)
  await mine()
  const end = (await adapter.balances([])).block?.number ?? 0n
  const [only, ...more] = (await adapter.audit?.movements(treasury, start + 1n, end)) ?? []
  expect(more).toEqual([])
  expect(only).toMatchObject({ txHash: `block/${only?.block.number}`, slot: null, changes: [{ units: 17n }] })
})

it("a block's own time is reported, and a different block in its place is not used", async () => {
  const { adapter, node } = chain
  const { head } = await adapter.scan(null, ours())
  const [{ header: told }] = await node.ask([header(head.number)])
  const timeMs = Number(told.time.seconds) * 1_000 + Math.floor(told.time.nanos / 1_000_000)
  expect(await adapter.blockTimes?.timeOf(head)).toEqual(new Date(timeMs))
  await expect(adapter.blockTimes?.timeOf({ ...head, hash: '00'.repeat(32) })).rejects.toThrow('another one')
})

it('a long history continues where a node failed, with the same result', async () => {
  const { adapter, treasury, local, network } = chain
  const { head: start } = await adapter.scan(null, ours())
  await deposited(7n)
  await local.mine(network.name, 30)
  await deposited(8n)
  const { head } = await adapter.scan(null, ours())
  const from = start.number + 1n
  const asked: number[] = []
  let failing = true
  const flaky = await behind(({ method, params }, answer) => {
    if (method !== 'block') return answer
    const height = Number((params as { height: string }).height)
    asked.push(height)
    return failing && height >= Number(from) + 20
      ? { ...answer, result: undefined, error: { code: -32603, message: 'down' } }
      : answer
  })
  await expect(flaky.audit?.movements(treasury, from, head.number)).rejects.toThrow()
  failing = false
  asked.length = 0
  const again = await flaky.audit?.movements(treasury, from, head.number)
  expect(Math.min(...asked)).toBe(Number(from) + 16)
  expect(again).toEqual(await adapter.audit?.movements(treasury, from, head.number))
  expect(again?.map(({ changes }) => changes.map(({ units }) => units))).toEqual([[7n], [8n]])
})

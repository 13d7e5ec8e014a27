/** A transfer is dead only if every node shows, at final depth, another transaction that used its sequence. */
import { RetryLater } from '@causeway/core'
import { family } from '@causeway/cosmos'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { hashOf } from './chain.ts'
import {
  type Answer,
  type Drawn,
  draw,
  force,
  payment,
  startChain,
  startProxy,
  type TestChain,
  toldIn,
  type Wire,
} from './testbed.ts'
import { fieldsOf, lengthField } from './wire.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

let strangers = 0
const stranger = () => family.treasury(chain.network, testSigner(`stranger ${++strangers}`))
const order = async (units = 1_000n) => payment(chain.treasury, await stranger(), chain.network.nativeToken, units)
const sent = ({ signed, slot }: Drawn) => ({ hash: signed.hash, slot, account: chain.treasury })

/** A transaction that was never sent, and another one in its slot that is mined this deep. */
async function rivals(depth: number): Promise<{ lost: Drawn; rival: Drawn }> {
  const { adapter, mine } = chain
  const lost = await draw(adapter, await order())
  const other = await order()
  const draft = await adapter.prepare(other, null)
  const rival = { order: other, slot: lost.slot, draft, signed: await adapter.sign(other, lost.slot, draft) }
  await adapter.broadcast(rival.signed)
  await mine(depth)
  return { lost, rival }
}

async function behind(change: (request: Wire, answer: Answer) => unknown) {
  const proxy = await startProxy(chain.url, change)
  onTestFinished(proxy.stop)
  return chain.open({ nodes: [proxy.url] })
}

const refused = (data: string) => ({ error: { code: -32603, message: 'Internal error', data } })

it('not before final depth', async () => {
  await chain.set({ halted: true })
  const { lost, rival } = await rivals(2)
  expect(await chain.adapter.status(sent(lost), nothingSigned)).toEqual({ state: 'unknown' })
  await chain.mine(1)
  expect(await chain.adapter.status(sent(lost), nothingSigned)).toMatchObject({
    state: 'dead',
    evidence: { usedBy: rival.signed.hash },
  })
  await chain.set({ halted: false })
})

it('without any index, by the account’s own number before and after each block', async () => {
  const { rival, lost } = await rivals(20)
  const blind = await behind(({ method }, answer) =>
    /^tx/.test(method) ? refused('transaction indexing is disabled') : answer,
  )
  expect(await blind.status(sent(rival), nothingSigned)).toMatchObject({
    state: 'included',
    feeUnits: rival.signed.feeCeiling,
  })
  expect(await blind.status(sent(lost), nothingSigned)).toMatchObject({
    state: 'dead',
    evidence: { usedBy: rival.signed.hash },
  })
})

it('never by a sequence whose user is unknown', async () => {
  const { lost, rival } = await rivals(20)
  const { head } = await chain.adapter.scan(null, { owned: async () => new Set() })
  const blind = await behind(({ method, params }, answer) => {
    if (/^tx/.test(method)) return refused('transaction indexing is disabled')
    const isPast =
      method === 'abci_query' && Number(params.height) > 0 && BigInt(String(params.height)) < head.number - 3n
    return isPast ? { result: { response: { code: 18, log: 'failed to load state at height', height: '0' } } } : answer
  })
  expect(await blind.status(sent(lost), nothingSigned)).toEqual({ state: 'unknown' })
  expect(await blind.status(sent(rival), nothingSigned)).toEqual({ state: 'unknown' })
})

it('never by one node alone: a second one that lags, or knows nothing, keeps it alive', async () => {
  const { url } = chain
  const { lost } = await rivals(6)
  const { head } = await chain.adapter.scan(null, { owned: async () => new Set() })
  const lagging = await startProxy(url, ({ method }, answer) => {
    if (method === 'abci_info') toldIn(answer).response.last_block_height = (head.number - 6n).toString()
    return answer
  })
  const blank = await startProxy(url, ({ method }, answer) =>
    /^(tx|abci_query)/.test(method) ? refused('no such thing') : answer,
  )
  for (const other of [lagging, blank]) {
    onTestFinished(other.stop)
    for (const nodes of [
      [url, other.url],
      [other.url, url],
    ]) {
      const status = await (await chain.open({ nodes }))
        .status(sent(lost), nothingSigned)
        .catch((error: unknown) => error)
      if (!(status instanceof RetryLater)) expect(status).toEqual({ state: 'unknown' })
    }
  }
  const both = await chain.open({ nodes: [url, `${url}/`] })
  expect(await both.status(sent(lost), nothingSigned)).toMatchObject({ state: 'dead' })
})

it('never by a rival that is not in its block, nor by one of another number', async () => {
  const { lost, rival } = await rivals(6)
  // The rival's bytes are replaced by others, or others by it: the header proves the real content.
  const forger = await behind(({ method }, answer) => {
    if (method === 'block') toldIn(answer).block.data.txs = [Buffer.from('forged').toString('base64')]
    return answer
  })
  await expect(forger.status(sent(lost), nothingSigned)).rejects.toThrow(RetryLater)
  const next = await draw(chain.adapter, await order())
  await chain.adapter.broadcast(next.signed)
  await chain.mine(5)
  // An index that points at a transaction of ours with another sequence is not trusted.
  const pointer = await behind(async ({ method }, answer) => {
    if (method === 'tx_search') return { result: { txs: [{ height: await heightOf(next) }], total_count: '1' } }
    return answer
  })
  expect(await pointer.status(sent(lost), nothingSigned)).toMatchObject({
    state: 'dead',
    evidence: { usedBy: rival.signed.hash },
  })
  async function heightOf(drawn: Drawn): Promise<string> {
    const status = await chain.adapter.status(sent(drawn), nothingSigned)
    return 'block' in status ? status.block.number.toString() : '1'
  }
})

it('one that ran out of gas in a block has cost its fee, and is reverted', async () => {
  const { adapter, mine, local, treasury, network } = chain
  const drawn = await draw(adapter, await order())
  const draft = JSON.stringify({ ...JSON.parse(drawn.draft), gas: '50000' })
  const poor = { ...drawn, draft, signed: await adapter.sign(drawn.order, drawn.slot, draft) }
  const before = await local.balance(network.nativeToken, treasury)
  await adapter.broadcast(poor.signed)
  await mine(4)
  const status = await adapter.status(sent(poor), nothingSigned)
  expect(status).toMatchObject({ state: 'reverted', feeUnits: poor.signed.feeCeiling })
  expect(await local.balance(network.nativeToken, treasury)).toBe(before - (poor.signed.feeCeiling ?? 0n))
  const both = await chain.open({ nodes: [chain.url, `${chain.url}/`] })
  expect(await both.status(sent(poor), nothingSigned), 'by all of them').toMatchObject({ state: 'reverted' })
  // Its sequence is used, so the other one in the slot is dead.
  expect(await adapter.status(sent(drawn), nothingSigned)).toMatchObject({
    state: 'dead',
    evidence: { usedBy: poor.signed.hash },
  })
  const block = 'block' in status ? status.block.number : 0n
  const [moved] = (await adapter.audit?.movements(treasury, block, block)) ?? []
  expect(moved).toMatchObject({
    txHash: poor.signed.hash,
    slot: poor.slot,
    changes: [{ units: -(poor.signed.feeCeiling ?? 0n) }],
  })
})

it('one that a block holds and the chain rejected is neither included nor dead: it may land later', async () => {
  const { adapter, node, mine, set, treasury } = chain
  await set({ halted: true })
  onTestFinished(async () => void (await set({ halted: false, showsTwins: false })))
  const first = await draw(adapter, await order())
  const second = await draw(adapter, await order(), [first.slot])
  const raw = (drawn: Drawn) => Buffer.from(drawn.signed.bytes, 'base64')
  await force(node, raw(second))
  await mine(4)
  expect(await adapter.status(sent(second), nothingSigned)).toEqual({ state: 'unknown' })
  await force(node, raw(first))
  await mine()
  await force(node, raw(second))
  await mine()
  // And again, refused again.
  await force(node, raw(second))
  await mine(3)
  for (const showsTwins of [false, true]) {
    await set({ showsTwins })
    for (const one of [adapter, await chain.open()])
      expect(await one.status(sent(second), nothingSigned)).toMatchObject({
        state: 'included',
        feeUnits: second.signed.feeCeiling,
      })
  }
  const { head } = await adapter.scan(null, { owned: async () => new Set() })
  const moved = (await adapter.audit?.movements(treasury, head.number - 8n, head.number)) ?? []
  expect(moved.map(({ txHash }) => txHash)).toEqual([first.signed.hash, second.signed.hash])
})

it('never by its own body: re-encoded in another envelope it is the payout, under another hash', async () => {
  const { adapter, node, mine } = chain
  const drawn = await draw(adapter, await order())
  const [body, auth, ...signatures] = fieldsOf(Buffer.from(drawn.signed.bytes, 'base64'))
  if (!body || !auth) throw new Error('no envelope')
  const folded = [auth, body, ...signatures].map(({ id, bytes }) => lengthField(id, bytes))
  const raw = Buffer.concat(folded)
  await force(node, raw)
  await mine(4)
  const signedBefore = async (hash: string) => (hash === drawn.signed.hash ? drawn.signed : null)
  const feeUnits = drawn.signed.feeCeiling
  const landed = { state: 'included', feeUnits, alias: hashOf(raw) }
  expect(await adapter.status(sent(drawn), signedBefore)).toMatchObject(landed)
  expect(hashOf(raw)).not.toBe(drawn.signed.hash)
})

it('a fee that an event overstates is rejected', async () => {
  const drawn = await draw(chain.adapter, await order())
  await chain.adapter.broadcast(drawn.signed)
  await chain.mine(3)
  const liar = await behind(({ method }, answer) =>
    method === 'block_results'
      ? JSON.parse(JSON.stringify(answer).replaceAll(`"${drawn.signed.feeCeiling}uosmo"`, '"999999999uosmo"'))
      : answer,
  )
  expect(await liar.status(sent(drawn), nothingSigned)).toMatchObject({
    state: 'included',
    feeUnits: drawn.signed.feeCeiling,
  })
})

it('what one of two nodes calls failed is not reverted', async () => {
  const drawn = await draw(chain.adapter, await order())
  await chain.adapter.broadcast(drawn.signed)
  await chain.mine(6)
  const liar = await startProxy(chain.url, ({ method }, answer) => {
    if (method === 'block_results') for (const one of toldIn(answer).txs_results ?? []) one.code = 11
    return answer
  })
  onTestFinished(liar.stop)
  // It could also forge the header that names the results.
  const settings = { ...chain.network.settings, check_results_hash: false }
  const alone = await chain.open({ nodes: [liar.url], settings })
  const both = await chain.open({ nodes: [liar.url, chain.url], settings })
  expect(await alone.status(sent(drawn), nothingSigned)).toMatchObject({ state: 'reverted' })
  expect(await both.status(sent(drawn), nothingSigned)).toMatchObject({ state: 'included' })
})

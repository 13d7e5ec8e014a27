/** "Dead" needs proof: whatever a node has pruned, lags behind or omits, a payout that may be mined is not dead. */
import type { Order, TransferStatus } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { nonceOf } from '../../src/paying/nonce.ts'
import { walletFrom } from './accounts.ts'
import { type Answer, control, type Drawn, draw, sendRaw, startChain, startProxy, type TestChain } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

async function payment(name: string, units = 2_000_000n): Promise<Order> {
  const { address: to } = await walletFrom(name)
  const amount = { token: chain.network.nativeToken, units }
  return { kind: 'transfers', account: chain.treasury, transfers: [{ to, amount }] }
}

/** Of two transactions in one slot, one is mined and final. */
async function deadAndAlive(name: string): Promise<{ dead: Drawn; alive: Drawn }> {
  const dead = await draw(chain, await payment(`${name}, the loser`))
  const order = await payment(`${name}, the winner`)
  const draft = await chain.adapter.prepare(order, null)
  const alive = { order, draft, slot: dead.slot, signed: await chain.adapter.sign(order, dead.slot, draft) }
  await chain.adapter.broadcast(alive.signed)
  await control(chain.node, 'devnet_mine', 40)
  return { dead, alive }
}

const statusOf = ({ signed, slot }: Drawn, adapter = chain.adapter): Promise<TransferStatus> =>
  adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)

/** The status from an adapter on this node, and optionally an honest one as well. */
async function statusThrough(drawn: Drawn, change: (method: string, answer: Answer) => unknown, ...others: string[]) {
  const proxy = await startProxy(chain.url, ({ method }, answer) => change(method, answer))
  const adapter = await chain.open({ nodes: [...others, proxy.url] })
  const found = await statusOf(drawn, adapter).catch((error: Error) => ({ state: error.name }))
  await proxy.stop()
  return found.state
}

const SILENT = (method: string): boolean => method === 'getTransaction' || method === 'getSignatureStatuses'
const nothing = (method: string): Answer => ({
  jsonrpc: '2.0',
  result: method === 'getTransaction' ? null : { context: { slot: 1 }, value: [null] },
})

it('with proof it is dead, and the one that landed is not', async () => {
  const { dead, alive } = await deadAndAlive('proof')
  expect(await statusOf(dead)).toMatchObject({ state: 'dead' })
  expect((await statusOf(alive)).state).toBe('included')
})

it('a recent transaction is unknown while its nonce is not final, without an error', async () => {
  const before = await draw(chain, await payment('a moment before'))
  await chain.adapter.broadcast(before.signed)
  const fresh = await draw(chain, await payment('fresh'))
  // The same account, whose final value is still the previous one: another value, but no proof.
  expect(nonceOf(fresh.slot).account).toBe(nonceOf(before.slot).account)
  for (let blocks = 0; blocks < 40; blocks += 8) {
    expect(await statusOf(fresh)).toEqual({ state: 'unknown' })
    await control(chain.node, 'devnet_mine', 8)
  }
  await chain.adapter.broadcast(fresh.signed)
  expect((await statusOf(fresh)).state).toBe('included')
})

it('a landed payout is not dead on a node that has forgotten it: the nonce account shows it', async () => {
  const { alive } = await deadAndAlive('forgotten')
  const forgetful = (method: string) => (SILENT(method) ? nothing(method) : undefined)
  expect(await statusThrough(alive, forgetful)).toBe('unknown')
})

it('a history that does not reach back to the slot proves nothing', async () => {
  const { dead, alive } = await deadAndAlive('pruned')
  const pruned = (method: string) => {
    if (method === 'getSignaturesForAddress') return { jsonrpc: '2.0', result: [] }
    return SILENT(method) ? nothing(method) : undefined
  }
  expect(await statusThrough(alive, pruned)).toBe('unknown')
  expect(await statusThrough(dead, pruned)).toBe('unknown')
})

it('a history that lacks the payout, and shows the next one of its nonce account, proves nothing', async () => {
  const landed = await draw(chain, await payment('left out'))
  await chain.adapter.broadcast(landed.signed)
  const next = await draw(chain, await payment('the next one'))
  expect(nonceOf(next.slot).account).toBe(nonceOf(landed.slot).account)
  await chain.adapter.broadcast(next.signed)
  await control(chain.node, 'devnet_mine', 40)
  const { hash } = landed.signed
  const gap = (method: string, answer: Answer) => {
    if (method === 'getSignatureStatuses') return nothing(method)
    if (method === 'getTransaction') return JSON.stringify(answer).includes(hash) ? nothing(method) : undefined
    if (method !== 'getSignaturesForAddress') return undefined
    return {
      ...answer,
      result: (answer.result as { signature: string }[]).filter(({ signature }) => signature !== hash),
    }
  }
  expect(await statusThrough(landed, gap)).toBe('unknown')
})

it('one node that cannot prove it is enough to hold', async () => {
  const { dead } = await deadAndAlive('held')
  const pruned = (method: string) => (method === 'getSignaturesForAddress' ? { jsonrpc: '2.0', result: [] } : undefined)
  expect(await statusThrough(dead, pruned, chain.url)).toBe('unknown')
  const down = (method: string) =>
    method === 'getMultipleAccounts' ? { jsonrpc: '2.0', error: { code: -32005 } } : undefined
  expect(await statusThrough(dead, down, chain.url)).toBe('RetryLater')
  expect(await statusThrough(dead, () => undefined, chain.url)).toBe('dead')
})

it('a node that has not reached the slot at which the nonce was read proves nothing', async () => {
  const { dead } = await deadAndAlive('behind')
  const behind = (method: string, answer: Answer) =>
    method === 'getMultipleAccounts' ? { jsonrpc: '2.0', error: { code: -32016, message: 'not reached' } } : answer
  expect(await statusThrough(dead, behind)).toBe('unknown')
})

it('a payout that fails on chain is reverted, has cost its fee, and its nonce is used up', async () => {
  const drawn = await draw(chain, await payment('poor', 900n * 10n ** 9n))
  // Meanwhile the money goes elsewhere.
  const other = await draw(chain, await payment('rich', 900n * 10n ** 9n), [drawn.slot])
  await chain.adapter.broadcast(other.signed)
  await expect(chain.adapter.broadcast(drawn.signed)).rejects.toThrow('simulation failed')
  await sendRaw(chain.node, drawn.signed.bytes)
  const reverted = await statusOf(drawn)
  expect(reverted).toMatchObject({ state: 'reverted' })
  await control(chain.node, 'devnet_mine', 40)
  expect(await statusThrough(drawn, () => undefined, chain.url), 'by all of them').toBe('reverted')
  expect(reverted.state === 'reverted' && reverted.feeUnits).toBeGreaterThanOrEqual(5_000n)
  const next = await chain.adapter.nextSlot(drawn.order, drawn.draft, [other.slot])
  expect(next[0]).not.toBe(drawn.slot[0])
  await chain.adapter.broadcast(drawn.signed)
  expect(await chain.local.balance(chain.network.nativeToken, (await walletFrom('poor')).address)).toBe(0n)
})

it('what one of two nodes calls failed is not reverted', async () => {
  const { alive } = await deadAndAlive('called failed')
  const err = { InstructionError: [0, 'Custom'] }
  const liar = await startProxy(chain.url, ({ method }, answer) => {
    if (method !== 'getTransaction') return undefined
    const { result } = structuredClone(answer) as { result: { meta: object } }
    return { ...answer, result: { ...result, meta: { ...result.meta, err, status: { Err: err } } } }
  })
  expect((await statusOf(alive, await chain.open({ nodes: [liar.url] }))).state).toBe('reverted')
  expect((await statusOf(alive, await chain.open({ nodes: [liar.url, chain.url] }))).state).toBe('included')
  await liar.stop()
})

/** Received coins that are not credited automatically: locked at a new address, or different from their message. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { encode } from '../../src/address.ts'
import { committedHeight } from '../../src/node/calls.ts'
import { addressOn } from './accounts.ts'
import { callContract, exec, lockedSend, sendOf, sendWritten } from './foreign-messages.ts'
import {
  drain,
  person,
  sendAs,
  sightedAs,
  startChain,
  startProxy,
  type TestChain,
  testNetwork,
  toldIn,
} from './testbed.ts'

const alice = person(0)
const CONTRACT = encode('osmo', new Uint8Array(32).fill(5))
const osmo = (units: bigint) => ({ denom: 'uosmo', units })

describe.each(['results', 'candidates'])('doubts, read by %s', (scan) => {
  let chain: TestChain
  const from = () => addressOn(chain.network, alice)
  beforeAll(async () => {
    chain = await startChain(testNetwork({}, { scan, max_head_age_seconds: 86_400 }))
  })
  afterAll(() => chain.local.stop())
  const fresh = async (index: number) => (await chain.adapter.depositAddresses?.derive(index)) ?? ''

  it('locked coins at a deposit address are credited to no swap, by whatever message; later coins are', async () => {
    const [plain, inner, hidden] = [await fresh(1), await fresh(2), await fresh(3)]
    const messages = {
      [plain]: lockedSend(from(), plain, osmo(5n)),
      [inner]: exec(from(), lockedSend(from(), inner, osmo(5n))),
      // A contract does it without a message.
      [hidden]: callContract(from(), CONTRACT, { pay: hidden, locks: 'yes' }, osmo(5n)),
    }
    for (const [to, message] of Object.entries(messages)) {
      const [only, ...more] = await sightedAs(chain, alice, { messages: [message] }, to)
      expect(more).toEqual([])
      expect(only).toMatchObject({ to, amount: { units: 5n }, doubt: expect.stringContaining('locked') })
    }
    for (const to of Object.keys(messages))
      for (const units of [7n, 5n, 3n]) {
        const later = { messages: [sendOf(from(), to, osmo(units))] }
        const [only, ...more] = await sightedAs(chain, alice, later, to)
        expect(more).toEqual([])
        expect(only?.amount.units).toBe(units)
        expect(only?.doubt).toBeUndefined()
      }
  })

  it('in the block that locks coins by a contract, only what exceeds them is credited', async () => {
    const to = await fresh(6)
    const hidden = callContract(from(), CONTRACT, { pay: to, locks: 'yes' }, osmo(5n))
    const messages = [hidden, sendOf(from(), to, osmo(6n)), sendOf(from(), to, osmo(5n))]
    const seen = await sightedAs(chain, alice, { messages }, to)
    expect(seen.map(({ amount, doubt }) => [amount.units, doubt === undefined])).toEqual([
      [5n, false],
      [6n, true],
      [5n, false],
    ])
  })

  it('if the state before its block is pruned, a deposit of no more than the locked coins is held', async () => {
    const to = await fresh(7)
    await sendAs(chain, alice, { messages: [lockedSend(from(), to, osmo(5n))] })
    const small = await sendAs(chain, alice, { messages: [sendOf(from(), to, osmo(4n))] })
    const large = await sendAs(chain, alice, { messages: [sendOf(from(), to, osmo(6n))] })
    const [head] = await chain.node.ask([committedHeight()])
    await chain.set({ prunedBelow: head.toString() })
    onTestFinished(() => chain.set({ prunedBelow: '0' }).then(() => {}))
    const ours = staticWatchlist(chain.treasury, to)
    const held = { state: 'included', sightings: [{ amount: { units: 4n }, doubt: expect.stringContaining('locked') }] }
    expect(await chain.adapter.inspect(small, ours)).toMatchObject(held)
    const good = await chain.adapter.inspect(large, ours)
    expect(good.state === 'included' && good.sightings.map(({ doubt }) => doubt)).toEqual([undefined])
  })

  it('a message next to a locking one brings spendable coins', async () => {
    const [locked, good] = [await fresh(4), await fresh(5)]
    const messages = [lockedSend(from(), locked, osmo(5n)), sendOf(from(), good, osmo(6n))]
    const seen = await sightedAs(chain, alice, { messages }, locked, good)
    expect(seen.map(({ to, doubt }) => [to, doubt === undefined])).toEqual([
      [locked, false],
      [good, true],
    ])
  })

  it('an amount with a leading zero, which the chain reads as octal, counts as received and stops nothing', async () => {
    const { treasury } = chain
    const odd = { messages: [sendWritten(from(), treasury, 'uosmo', '010')], memo: '42' }
    expect(await sightedAs(chain, alice, odd)).toMatchObject([{ amount: { units: 8n }, reference: null }])
  })

  it('if all nodes keep reporting other coins than a send names, they are held and the scan continues', async () => {
    const { treasury, network, url, log } = chain
    const ours = staticWatchlist(treasury)
    const { next } = await chain.adapter.scan(null, ours)
    const hash = await sendAs(chain, alice, { messages: [sendOf(from(), treasury, osmo(77n))], memo: '42' })
    const odd = await startProxy(url, ({ method }, answer) => {
      if (method !== 'block_results') return answer
      for (const one of toldIn(answer).txs_results ?? [])
        one.events = JSON.parse(JSON.stringify(one.events).replaceAll('"77uosmo"', '"76uosmo"'))
      return answer
    })
    onTestFinished(odd.stop)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const adapter = await chain.open({ nodes: [odd.url], settings: { ...network.settings, scan: 'results' } })
    await expect(adapter.scan(next, ours)).rejects.toThrow('does not tell')
    vi.setSystemTime(Date.now() + 9 * 60_000)
    await expect(adapter.scan(next, ours)).rejects.toThrow('does not tell')
    vi.setSystemTime(Date.now() + 2 * 60_000)
    log.lines.length = 0
    const seen = await drain(adapter, next, treasury)
    const doubt = expect.stringContaining('other coins')
    expect(seen).toMatchObject([{ txHash: hash, amount: { units: 76n }, doubt }])
    expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included', sightings: seen })
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error' }))
  })
})

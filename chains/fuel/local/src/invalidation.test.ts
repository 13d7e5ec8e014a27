/**
 * "Dead" needs proof: a coin spent by another transaction at final depth, or the slot's expiry with all coins unspent,
 * on every node.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Attempt,
  type Body,
  draw,
  endow,
  type Lab,
  lagging,
  openLab,
  payment,
  replace,
  resend,
  startProxy,
  stateOf,
  statusOf,
} from './testbed.ts'

/** Short enough for a test. */
const EXPIRES = 30

let lab: Lab
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  lab = await openLab({ expires_after_blocks: EXPIRES })
  const { adapter } = await lab.open('death')
  await endow(lab, adapter, 1_000n)
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await lab.devnet.stop()
})

const untilOf = ({ slot }: Attempt) => BigInt(slot.at(-1)?.split(':')[1] ?? 0)
const depth = () => lab.network.finalDepth

async function proxied(proxy: ReturnType<typeof startProxy>): Promise<string> {
  const { url, stop } = await proxy
  stops.push(stop)
  return url
}

const open = async (...nodes: string[]) => (await lab.open('death', nodes.length > 0 ? { nodes } : {})).adapter

async function drawn(name: string): Promise<{ attempt: Attempt; recipient: string }> {
  const recipient = await lab.stranger(name)
  const adapter = await open()
  return { recipient, attempt: await draw(adapter, payment(adapter, [recipient, lab.native, 5_000n])) }
}

/** Mines up to this height. */
async function reach(height: bigint): Promise<void> {
  const { block } = await (await open()).balances([])
  const missing = Number(height - (block?.number ?? 0n))
  if (missing > 0) await lab.mine(missing)
}

describe('the end of its time', () => {
  it('kills an unsent payout at final depth and not a block before, and its bytes no longer pay', async () => {
    const { attempt, recipient } = await drawn('expired')
    const adapter = await open()
    const until = untilOf(attempt)
    await reach(until + BigInt(depth()) - 1n)
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
    await lab.mine()
    const status = await statusOf(adapter, attempt)
    expect(status).toMatchObject({ state: 'dead', evidence: { usedBy: null, block: { number: until } } })
    expect(status.state === 'dead' && status.evidence.reason).toContain('final')
    await expect(resend(lab, attempt.signed.bytes)).rejects.toThrow('TransactionExpiration')
    await lab.mine(2)
    expect(await lab.units(recipient)).toBe(0n)
    const again = await draw(adapter, attempt.order)
    expect(untilOf(again)).toBeGreaterThan(until)
  })

  it('is the last block that accepts it: there it lands', async () => {
    const { attempt, recipient } = await drawn('last')
    const adapter = await open()
    await reach(untilOf(attempt) - 1n)
    await adapter.broadcast(attempt.signed)
    await lab.mine()
    expect(await statusOf(adapter, attempt)).toMatchObject({ state: 'included', block: { number: untilOf(attempt) } })
    expect(await lab.units(recipient)).toBe(5_000n)
  })

  it('proves nothing about a mined transaction, even if a lagging backend shows its coins unspent', async () => {
    const { attempt } = await drawn('landed')
    const adapter = await open()
    await adapter.broadcast(attempt.signed)
    await lab.mine()
    await reach(untilOf(attempt) + BigInt(depth()))
    const late = await open(await proxied(lagging(lab.url, EXPIRES + depth() + 1)))
    expect(await stateOf(late, attempt)).not.toBe('dead')
    expect((await statusOf(adapter, attempt)).state).toBe('included')
  })

  it('is not accepted from a backend that lags without saying so', async () => {
    const { attempt } = await drawn('silent')
    const adapter = await open()
    await adapter.broadcast(attempt.signed)
    await lab.mine()
    await reach(untilOf(attempt) + BigInt(depth()))
    // It ignores the required height, shows an old state, and does not name its block.
    const url = await proxied(
      startProxy(lab.url, {
        ask: (question) => ({ ...question, extensions: { devnet_lag: EXPIRES + depth() + 1 } }),
        answer: (_question, body) => ({ ...body, extensions: undefined }),
      }),
    )
    expect(await stateOf(await open(url), attempt)).toBe('later')
  })

  it('needs every node: one that lags, fails, or shows a coin as spent leaves it open', async () => {
    const { attempt } = await drawn('every')
    await reach(untilOf(attempt) + BigInt(depth()))
    expect(await stateOf(await open(), attempt)).toBe('dead')
    const behind = await proxied(lagging(lab.url, depth() + 1))
    const mute = await proxied(
      startProxy(lab.url, { answer: (question) => (isOf(question, 'causewayCoin') ? { data: null } : undefined) }),
    )
    const spent = await proxied(startProxy(lab.url, { answer: withoutCoins }))
    for (const other of [behind, mute, spent]) {
      expect(await stateOf(await open(lab.url, other), attempt), other).not.toBe('dead')
      expect(await stateOf(await open(other, lab.url), attempt), other).not.toBe('dead')
    }
    expect(await stateOf(await open(lab.url, 'http://127.0.0.1:1'), attempt)).toBe('later')
  })

  it('is not proven if nodes are on two branches', async () => {
    const { attempt } = await drawn('branches')
    await reach(untilOf(attempt) + BigInt(depth()))
    const other = await proxied(
      startProxy(lab.url, {
        answer: (question, body) => (isOf(question, 'causewayHeaders') ? renamed(body) : undefined),
      }),
    )
    expect(await stateOf(await open(lab.url, other), attempt)).toBe('later')
  })
})

describe('a coin that another has spent', () => {
  it('kills all other attempts of the slot once that one is final, by every node', async () => {
    const { attempt, recipient } = await drawn('rival')
    const adapter = await open()
    const second = await replace(adapter, attempt)
    await adapter.broadcast(second.signed)
    await lab.mine(depth() - 1)
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
    const behind = await proxied(lagging(lab.url, 3))
    await lab.mine()
    const landed = await statusOf(adapter, second)
    const block = landed.state === 'included' && landed.block
    expect(await statusOf(adapter, attempt)).toMatchObject({
      state: 'dead',
      evidence: { usedBy: second.signed.hash, block },
    })
    expect(await stateOf(await open(lab.url, behind), attempt)).not.toBe('dead')
    await expect(resend(lab, attempt.signed.bytes)).rejects.toThrow('does not exist')
    expect(await lab.units(recipient)).toBe(5_000n)
  })

  it('proves nothing if the spender is the payout itself and a node withholds that', async () => {
    const { attempt } = await drawn('withheld')
    const adapter = await open()
    await adapter.broadcast(attempt.signed)
    await lab.mine(depth() + 1)
    const url = await proxied(
      startProxy(lab.url, {
        answer: (question, body) =>
          isOf(question, 'causewayTransaction') ? { ...body, data: { transaction: null } } : undefined,
      }),
    )
    expect(await stateOf(await open(url), attempt)).toBe('unknown')
    await reach(untilOf(attempt) + BigInt(depth()))
    expect(await stateOf(await open(url), attempt)).toBe('unknown')
  })

  it('proves nothing if the payout is shown in its block, and missing before and after', async () => {
    const { attempt } = await drawn('flickers')
    await (await open()).broadcast(attempt.signed)
    await lab.mine(depth() + 1)
    let asked = 0
    const url = await proxied(
      startProxy(lab.url, {
        answer: (question, body) =>
          isOf(question, 'causewayTransaction') && asked++ % 2 === 0
            ? { ...body, data: { transaction: null } }
            : undefined,
      }),
    )
    expect(await stateOf(await open(url), attempt)).toBe('unknown')
    expect(asked).toBe(1)
  })

  it('is not accepted from a node that shows another transaction in its block', async () => {
    const { attempt } = await drawn('altered')
    const adapter = await open()
    const second = await replace(adapter, attempt)
    await adapter.broadcast(attempt.signed)
    await lab.mine(depth() + 1)
    // The block claims to contain the other attempt: the same coins, and a root that does not match.
    const url = await proxied(
      startProxy(lab.url, {
        answer: (question, body) => {
          if (isOf(question, 'causewayTransaction')) return { ...body, data: { transaction: null } }
          if (!isOf(question, 'causewayBlock')) return undefined
          const swapped = JSON.stringify(body)
            .replaceAll(attempt.signed.hash, second.signed.hash)
            .replaceAll(/"rawPayload":"0x0{16}[^"]*"/g, `"rawPayload":"${second.signed.bytes}"`)
          return JSON.parse(swapped)
        },
      }),
    )
    expect(await stateOf(await open(url), attempt)).toBe('later')
  })

  it('in a block that is replaced since is forgotten: the payout may land again', async () => {
    const { attempt, recipient } = await drawn('replaced')
    const adapter = await open()
    const second = await replace(adapter, attempt)
    await lab.mine(3)
    await adapter.broadcast(second.signed)
    await lab.mine()
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
    await lab.devnet.reorg(lab.network.name, 2)
    await adapter.broadcast(attempt.signed)
    await lab.mine(depth() + 1)
    expect(await statusOf(adapter, attempt)).toMatchObject({ state: 'included' })
    expect(await statusOf(adapter, second)).toMatchObject({ state: 'dead', evidence: { usedBy: attempt.signed.hash } })
    expect(await lab.units(recipient)).toBe(5_000n)
  })
})

describe('a coin that a replaced block had made', () => {
  /** A payout that spends the change of another one, whose block is then replaced. */
  async function builtOn(name: string) {
    const { adapter } = await lab.open(name)
    const gift = { owner: adapter.treasury, asset: lab.place.baseAsset, units: '900000' }
    await lab.command('devnet_fund', { coins: [gift] })
    const recipients = [await lab.stranger(`${name} first`), await lab.stranger(`${name} second`)]
    const [one = '', two = ''] = recipients
    const first = await draw(adapter, payment(adapter, [one, lab.native, 5_000n]))
    await lab.mine(3)
    await adapter.broadcast(first.signed)
    await lab.mine()
    const second = await draw(adapter, payment(adapter, [two, lab.native, 6_000n]), [first.slot])
    expect(second.slot[0]).toContain(first.signed.hash)
    await lab.devnet.reorg(lab.network.name, 2)
    const known = new Map([first, second].map(({ signed }) => [signed.hash, signed]))
    const judged = async () =>
      await adapter.status(
        { ...second.signed, slot: second.slot, account: adapter.treasury },
        async (hash) => known.get(hash) ?? null,
      )
    return { adapter, first, second, one, two, judged }
  }

  it('may come again by the same bytes: the payout that spends it lands then', async () => {
    const { adapter, first, second, two, judged } = await builtOn('again')
    await lab.mine(depth() + 1)
    expect(await judged()).toEqual({ state: 'unknown' })
    await adapter.broadcast(first.signed)
    await lab.mine()
    await adapter.broadcast(second.signed)
    await lab.mine()
    expect((await judged()).state).toBe('included')
    expect(await lab.units(two)).toBe(6_000n)
  })

  it('never comes if another attempt replaced it: everything built on it is dead by that evidence', async () => {
    const { adapter, first, second, one, two, judged } = await builtOn('instead')
    const other = await replace(adapter, first)
    await adapter.broadcast(other.signed)
    await lab.mine()
    expect(await judged()).toEqual({ state: 'unknown' })
    await lab.mine(depth())
    const status = await judged()
    expect(status).toMatchObject({ state: 'dead', evidence: { usedBy: other.signed.hash } })
    expect(status.state === 'dead' && status.evidence.reason).toContain(`built on ${first.signed.hash}`)
    expect(await stateOf(adapter, second), 'whose bytes are not known, nothing is said of').toBe('unknown')
    await expect(resend(lab, second.signed.bytes)).rejects.toThrow('does not exist')
    expect([await lab.units(one), await lab.units(two)]).toEqual([5_000n, 0n])
  })

  it('never comes if the transaction that was to make it has expired', async () => {
    const { adapter, first, two, judged } = await builtOn('over')
    await reach(untilOf(first) + BigInt(depth()) - 1n)
    expect(await judged()).toEqual({ state: 'unknown' })
    await lab.mine()
    expect(await judged()).toMatchObject({
      state: 'dead',
      evidence: { usedBy: null, block: { number: untilOf(first) } },
    })
    expect((await statusOf(adapter, first)).state).toBe('dead')
    expect(await lab.units(two)).toBe(0n)
  })
})

it("a node that claims a landed payout's script failed does not cause a second payment", async () => {
  const { attempt } = await drawn('failed')
  const adapter = await open()
  await adapter.broadcast(attempt.signed)
  await lab.mine()
  const url = await proxied(
    startProxy(lab.url, {
      answer: (question, body) =>
        isOf(question, 'causewayTransaction')
          ? JSON.parse(JSON.stringify(body).replace('SuccessStatus', 'FailureStatus'))
          : undefined,
    }),
  )
  expect((await statusOf(await open(url), attempt)).state).toBe('included')
})

function isOf({ operationName }: { operationName: string }, name: string): boolean {
  return operationName === name
}

function withoutCoins(question: { operationName: string }, body: Body): unknown {
  if (!isOf(question, 'causewayCoin')) return undefined
  return { ...body, data: Object.fromEntries(Object.keys(body.data).map((name) => [name, null])) }
}

/** The same blocks under other ids. */
function renamed(body: Body): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(/"id":"0x[0-9a-f]{8}/g, '"id":"0xdeadbeef'))
}

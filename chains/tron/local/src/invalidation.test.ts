/** When a payout is dead and when it is not: absence proves nothing, and neither does one node's answer. */
import type { ChainAdapter } from '@causeway/core'
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootOf } from '../../src/block.ts'
import { headerTree } from './chain.ts'
import { devnet } from './index.ts'
import { encode, HEADER, sha256, TRANSACTION } from './messages.ts'
import { type Body, type Drawn, draw, payment, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
let counter = 0
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed?.local.stop())

const fresh = async () => payment(bed.treasury, await bed.stranger(`dead ${++counter}`), bed.native, 1_000_000n)
/** Beyond the 180 seconds of every payout, and beyond the newest solid block. */
const expire = () => bed.mine(90)

/** Dead or not; a node that cannot answer now does not make it dead. */
async function isDead(adapter: ChainAdapter, drawn: Drawn): Promise<boolean> {
  return statusOf(adapter, drawn).then(
    ({ state }) => state === 'dead',
    (error) => {
      expect(error).toBeInstanceOf(RetryLater)
      return false
    },
  )
}

/** An adapter with an empty cache, on one node that lies. */
async function through(answer: Parameters<typeof startProxy>[1], ...others: string[]) {
  const proxy = await startProxy(bed.url, answer)
  return { proxy, adapter: await bed.open({ nodes: [proxy.url, ...others] }) }
}

const NOTHING = ['wallet/gettransactioninfobyid', 'wallet/gettransactionfrompending', 'wallet/gettransactionbyid']

describe('what was never sent', () => {
  test('is dead once a solid block has a parent beyond its expiration, and not before', async () => {
    const { adapter, control, mine } = bed
    const drawn = await draw(adapter, await fresh())
    await mine(1)
    // Witnesses were offline: this block is beyond the expiration, but its parent is not, so it could have contained
    // the payout.
    await control('skip', { ms: 400_000 })
    const { head } = await adapter.scan(null, { owned: async () => new Set() })
    await mine(19)
    expect(await statusOf(adapter, drawn)).toEqual({ state: 'unknown' })
    await mine(1)
    expect(await statusOf(adapter, drawn)).toMatchObject({
      state: 'dead',
      evidence: {
        usedBy: null,
        block: { number: head.number + 1n },
        reason: expect.stringContaining('which is final'),
      },
    })
  })

  test('can be in a block later than its expiration if the parent was not', async () => {
    const { adapter, control, mine } = bed
    const drawn = await draw(adapter, await fresh())
    await control('automine', { on: false })
    await adapter.broadcast(drawn.signed)
    expect(await statusOf(adapter, drawn)).toEqual({ state: 'pending' })
    await control('skip', { ms: 400_000 })
    await control('automine', { on: true })
    expect((await statusOf(adapter, drawn)).state).toBe('included')
    await mine(40)
    expect((await statusOf(adapter, drawn)).state).toBe('included')
  })
})

describe('no payout is dead by a mere answer', () => {
  test('a payout that landed, of which a node knows nothing any more', async () => {
    const { adapter } = bed
    const drawn = await draw(adapter, await fresh())
    await adapter.broadcast(drawn.signed)
    await expire()
    const { proxy, adapter: deceived } = await through((path, _, truth) => (NOTHING.includes(path) ? {} : truth()))
    expect(await statusOf(deceived, drawn)).toEqual({ state: 'unknown' })
    await proxy.stop()
    expect((await statusOf(adapter, drawn)).state).toBe('included')
  })

  test('nor by blocks that are withheld, shortened or altered', async () => {
    const { adapter } = bed
    const drawn = await draw(adapter, await fresh())
    await adapter.broadcast(drawn.signed)
    const landed = await statusOf(adapter, drawn)
    const number = landed.state === 'included' ? Number(landed.block.number) : 0
    await expire()
    type Shown = { block_header: { raw_data: { number: number } }; transactions?: { ret: Body[]; txID: string }[] }
    const lies: ((block: Shown) => Shown | null)[] = [
      () => null,
      ({ transactions: _, ...block }) => block,
      (block) => ({
        ...block,
        transactions: (block.transactions ?? []).map((one) => ({ ...one, raw_data_hex: '0a02' })),
      }),
      (block) => ({
        ...block,
        transactions: (block.transactions ?? []).map((one) => ({ ...one, ret: [{ contractRet: 'REVERT' }] })),
      }),
    ]
    for (const lie of lies) {
      const { proxy, adapter: deceived } = await through(async (path, _, truth) => {
        if (NOTHING.includes(path)) return {}
        const told = (await truth()) as { block?: Shown[] }
        if (path !== 'wallet/getblockbylimitnext') return told
        const isIt = (block: Shown) => block.block_header.raw_data.number === number
        return { block: (told.block ?? []).flatMap((block) => (isIt(block) ? (lie(block) ?? []) : [block])) }
      })
      expect(await isDead(deceived, drawn)).toBe(false)
      await proxy.stop()
    }
  })

  test('nor by another branch that one node follows and another does not', async () => {
    const { network, treasury, adapter, url } = bed
    // A separate chain with the same first block: it never saw the payout, and continued.
    const elsewhere = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
    const drawn = await draw(adapter, await fresh())
    await adapter.broadcast(drawn.signed)
    await expire()
    await elsewhere.mine(network.name, 1_200)
    const strange = elsewhere.nodes[network.name] ?? ''
    expect(await isDead(await bed.open({ nodes: [strange, url] }), drawn)).toBe(false)
    await elsewhere.stop()
  })

  test('nor by a node that lags behind its own solid block', async () => {
    const { adapter } = bed
    const drawn = await draw(adapter, await fresh())
    await expire()
    const { proxy, adapter: deceived } = await through(async (path, body, truth) => {
      if (path !== 'wallet/getblockbylimitnext') return truth()
      const told = (await truth()) as { block: unknown[] }
      return { block: Number(body.startNum) % 7 === 0 ? [] : told.block }
    })
    // In ranges of ten, one of which is not answered.
    expect(await isDead(deceived, drawn)).toBe(false)
    await proxy.stop()
    expect(await isDead(adapter, drawn)).toBe(true)
  })

  test('nor while a node that is named cannot be asked', async () => {
    const { adapter, url } = bed
    const drawn = await draw(adapter, await fresh())
    await expire()
    const away = await bed.open({ nodes: [url, 'http://127.0.0.1:1'] })
    expect(await isDead(away, drawn)).toBe(false)
    expect(await isDead(adapter, drawn)).toBe(true)
  })
})

test('a transaction that refers to an orphaned block is dead when it expires', async () => {
  const { adapter, treasury } = bed
  const order = payment(treasury, await bed.stranger('stranded'), bed.native, 1_000_000n)
  const draft: Body = JSON.parse(await adapter.prepare(order, null))
  const reference = `${String(draft.reference).slice(0, 16)}${'ab'.repeat(24)}`
  const slot = await adapter.nextSlot(order, JSON.stringify({ ...draft, reference }), [])
  const signed = await adapter.sign(order, slot, JSON.stringify(draft))
  await expect(adapter.broadcast(signed)).rejects.toThrow('TAPOS_ERROR')
  const drawn = { order, slot, signed, draft: '' }
  expect(await statusOf(adapter, drawn)).toEqual({ state: 'unknown' })
  await expire()
  expect((await statusOf(adapter, drawn)).state).toBe('dead')
})

test('what one of two nodes shows as failed, in a block that it made up, is not reverted', async () => {
  const { adapter, url, mine, ask } = bed
  const drawn = await draw(adapter, await fresh())
  await adapter.broadcast(drawn.signed)
  await mine(30)
  const status = await statusOf(adapter, drawn)
  if (status.state !== 'included') throw new Error(`it is ${status.state}`)
  const number = Number(status.block.number)
  const { block } = (await ask('wallet/getblockbylimitnext', { startNum: number, endNum: number + 1 })) as Shown
  const forged = block.map(asFailed)
  const liar: Parameters<typeof startProxy>[1] = (path, body, truth) => {
    if (path === 'wallet/getblockbylimitnext' && body.startNum === number) return { block: forged }
    return path.endsWith('/getblock') && body.id_or_num === `${number}` ? forged[0] : truth()
  }
  const alone = await through(liar)
  expect((await statusOf(alone.adapter, drawn)).state).toBe('reverted')
  const both = await through(liar, url)
  expect((await statusOf(both.adapter, drawn)).state).toBe('included')
  for (const { proxy } of [alone, both]) await proxy.stop()
})

interface Shown {
  block: {
    block_header: { raw_data: Record<'number' | 'timestamp', number> & Record<'parentHash' | 'txTrieRoot', string> }
    transactions: { raw_data_hex: string; signature: string[] }[]
  }[]
}

/** The same block, consistent in itself, in which all its transactions failed. */
function asFailed({ block_header: { raw_data }, transactions }: Shown['block'][number]): unknown {
  const leaves = transactions.map(({ raw_data_hex, signature }) =>
    sha256(
      encode(TRANSACTION, {
        raw_data: Buffer.from(raw_data_hex, 'hex'),
        signature: signature.map((one) => Buffer.from(one, 'hex')),
        ret: [{ contractRet: 2n }],
      }),
    ),
  )
  const { number, timestamp: time, parentHash: parent } = raw_data
  const root = rootOf(leaves)
  const hash = sha256(encode(HEADER, headerTree({ number, parent, time, root }))).toString('hex')
  return {
    blockID: number.toString(16).padStart(16, '0') + hash.slice(16),
    block_header: { raw_data: { ...raw_data, txTrieRoot: root } },
    transactions: transactions.map((one) => ({ ...one, ret: [{ contractRet: 'REVERT' }] })),
  }
}

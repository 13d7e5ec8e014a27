/** Nodes that fail, lie, lag or serve another chain, and how a scan and an inspection handle them. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../../../tests/support/chains/samples.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { hex, treeRoot } from './codec.ts'
import {
  type Body,
  contractOutputs,
  inspected,
  type Lab,
  lagging,
  type Opened,
  openLab,
  scriptOf,
  startProxy,
} from './testbed.ts'

let lab: Lab
let opened: Opened
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  lab = await openLab()
  opened = await lab.open('nodes')
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await lab.devnet.stop()
})

async function proxied(proxy: Promise<{ url: string; stop(): Promise<void> }>): Promise<string> {
  const { url, stop } = await proxy
  stops.push(stop)
  return url
}

const ours = () => staticWatchlist(opened.adapter.treasury)

async function deposited(number = 21n): Promise<string> {
  const script = scriptOf([{ number }])
  const coin = { type: 'coin', to: opened.adapter.treasury, units: 5_000n, asset: lab.place.baseAsset } as const
  return lab.post({ ...script, outputs: [...contractOutputs(script), coin] })
}

const changing = (name: string, change: (text: string) => string) =>
  startProxy(lab.url, {
    answer: ({ operationName }, body: Body) =>
      operationName === name ? JSON.parse(change(JSON.stringify(body))) : undefined,
  })

describe('several nodes', () => {
  it('the next node is asked if one is down, limited, too slow or invalid; no password is logged', async () => {
    const behind = 'The required fuel block height is higher than the current block height'
    const answers: [number, unknown, string][] = [
      [502, 'Bad Gateway', 'NodeFailure'],
      [429, { errors: [{ message: 'Too many requests' }] }, 'NodeFailure'],
      [200, '<html>', 'NodeFailure'],
      [200, { data: { chain: 'soon' } }, 'UnreadableAnswer'],
      [200, { data: null, errors: [{ message: behind }] }, 'NodeFailure'],
    ]
    for (const [status, body, trouble] of answers) {
      const sick = await startServer(async () => ({ status, body }))
      const url = sick.url.replace('http://', 'http://user:secret@')
      const { adapter } = await lab.open('nodes', { nodes: [url, lab.url] })
      expect((await adapter.balances([])).block?.number).toBeGreaterThanOrEqual(0n)
      expect(adapter.nodeHealth()[0]?.trouble).toBe(trouble)
      const alone = await (await lab.open('nodes', { nodes: [url] })).adapter.fees().catch((error: unknown) => error)
      expect(alone).toBeInstanceOf(RetryLater)
      expect(String(alone)).not.toContain('secret')
      await sick.stop()
    }
  })

  it('one of another chain, or with another base asset, is never used', async () => {
    for (const [from, to] of [
      ['"chainId":"0"', '"chainId":"9889"'],
      ['"baseAssetId":"0xf8f8', '"baseAssetId":"0xabcd'],
    ] as const) {
      const url = await proxied(changing('causewayParameters', (text) => text.replace(from, to)))
      const { adapter, lines } = await lab.open('nodes', { nodes: [url] })
      await expect(adapter.balances([])).rejects.toThrow(RetryLater)
      expect(lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'node is on another chain' }))
      const both = await lab.open('nodes', { nodes: [url, lab.url] })
      expect((await both.adapter.balances([])).units).toEqual([])
    }
  })

  it('a query that is too complex for a node is asked for fewer headers', async () => {
    const { next } = await opened.adapter.scan(null, ours())
    const txHash = await deposited(22n)
    const asked: number[] = []
    const strict = startProxy(lab.url, {
      answer({ variables: { first } }) {
        if (typeof first !== 'number') return undefined
        asked.push(first)
        return first > 3 ? { data: null, errors: [{ message: 'Query is too complex.' }] } : undefined
      },
    })
    const { adapter } = await lab.open('nodes', { nodes: [await proxied(strict)] })
    const scan = await adapter.scan(next, ours())
    expect(scan.sightings.map((one) => one.txHash)).toContain(txHash)
    expect(Math.max(...asked)).toBeGreaterThan(3)
    expect(asked.at(-1)).toBeLessThanOrEqual(3)
  })

  it('requests are counted by name', async () => {
    const asked: string[] = []
    const { family } = await import('@causeway/fuel')
    const { testSigner } = await import('../../../../tests/support/chains/signer.ts')
    const log = { info() {}, warn() {}, error() {} }
    const spent = (name: string) => void asked.push(name)
    const adapter = await family.open({ network: lab.network, signer: testSigner('nodes'), log, spent })
    const { next } = await adapter.scan(null, ours())
    expect(asked.splice(0)).toEqual(['causewayParameters', 'causewayHead', 'causewayHeaders'])
    await adapter.scan(next, ours())
    await lab.mine(3)
    await adapter.scan(next, ours())
    expect(asked, 'one question a scan').toEqual(['causewayTip', 'causewayTip'])
  })
})

describe("a node's claims about a deposit", () => {
  it('an amount that differs from its block is rejected, and so is an omitted transaction', async () => {
    const { next } = await opened.adapter.scan(null, ours())
    const txHash = await deposited()
    const grown = await proxied(
      changing('causewayBlock', (text) => text.replace('0000000000001388', '0000000000ff1388')),
    )
    const less = await proxied(
      changing('causewayBlock', (text) => text.replace(/\{"id":"0x[0-9a-f]{64}","rawPayload":"0x0{16}[^}]*\},/, '')),
    )
    for (const url of [grown, less]) {
      const { adapter } = await lab.open('nodes', { nodes: [url] })
      await expect(adapter.scan(next, ours())).rejects.toThrow('shows other transactions')
      await expect(inspected(adapter, txHash)).rejects.toThrow(RetryLater)
      const both = (await lab.open('nodes', { nodes: [url, lab.url] })).adapter
      expect((await both.scan(next, ours())).sightings).toMatchObject([{ amount: { units: 5_000n }, reference: 21n }])
    }
  })

  it('a forged swap number in receipts is noticed: the money is kept, and an operator decides', async () => {
    const { next } = await opened.adapter.scan(null, ours())
    const txHash = await deposited(22n)
    const url = await proxied(
      changing('causewayReceipts', (text) => text.replaceAll('0x0000000000000016', '0x0000000000000017')),
    )
    const { adapter } = await lab.open('nodes', { nodes: [url] })
    const expected = { reference: null, amount: { units: 5_000n } }
    // The digest is unchanged, or made to match: both are detected.
    await expect(adapter.scan(next, ours())).rejects.toThrow('not its digest')
    const { createHash } = await import('node:crypto')
    const digestOf = (number: string) => `0x${createHash('sha256').update(Buffer.from(number, 'hex')).digest('hex')}`
    const careful = await proxied(
      changing('causewayReceipts', (text) =>
        text
          .replaceAll('0x0000000000000016', '0x0000000000000017')
          .replaceAll(digestOf('0000000000000016'), digestOf('0000000000000017')),
      ),
    )
    const lied = (await lab.open('nodes', { nodes: [careful] })).adapter
    const doubt = 'what the node tells of its script is not what the block says'
    expect((await lied.scan(next, ours())).sightings).toMatchObject([{ ...expected, doubt }])
    expect(await inspected(lied, txHash)).toMatchObject({ state: 'included', sightings: [{ ...expected, doubt }] })
    expect((await opened.adapter.scan(next, ours())).sightings).toMatchObject([{ reference: 22n }])
  })

  it('two of three must agree if the operator sets a quorum', async () => {
    const txHash = await deposited(23n)
    const blind = await proxied(
      startProxy(lab.url, {
        answer: ({ operationName }, body) =>
          operationName === 'causewayTransaction' ? { ...body, data: { transaction: null } } : undefined,
      }),
    )
    const agreeing = await lab.open('nodes', {
      nodes: [blind, lab.url, lab.url.replace('127.0.0.1', 'localhost')],
      quorum: 2,
    })
    expect(await inspected(agreeing.adapter, txHash)).toMatchObject({
      state: 'included',
      sightings: [{ reference: 23n }],
    })
    const split = await lab.open('nodes', { nodes: [blind, lab.url], quorum: 2 })
    await expect(inspected(split.adapter, txHash)).rejects.toThrow('they differ')
  })
})

/** A node whose newest block is a million ahead. */
const dreaming = () =>
  startProxy(lab.url, {
    answer(_, body) {
      const { latestBlock } = (body as { data?: { chain?: { latestBlock?: { height: string } } } }).data?.chain ?? {}
      if (latestBlock) latestBlock.height = `${Number(latestBlock.height) + 1_000_000}`
      return body
    },
  })

describe('a scan', () => {
  it('does not follow one node to a block far ahead if two must agree', async () => {
    await lab.mine(2)
    const { next, scannedTo } = await opened.adapter.scan(null, ours())
    const ahead = (await lab.open('nodes', { nodes: [await proxied(dreaming())] })).adapter
    expect((await ahead.scan(next, ours())).head.number).toBeGreaterThan(scannedTo + 900_000n)
    const nodes = [await proxied(dreaming()), lab.url, lab.url.replace('127.0.0.1', 'localhost')]
    const { adapter } = await lab.open('nodes', { nodes, quorum: 2 })
    await lab.mine(1)
    expect((await adapter.scan(next, ours())).head.number).toBeLessThan(scannedTo + 1_000n)
    expect(adapter.nodeHealth()[0]).toMatchObject({ rests: true })
  })

  it('waits if its node is behind, and reports no reorg', async () => {
    await lab.mine(5)
    const { next, head } = await opened.adapter.scan(null, ours())
    const behind = (await lab.open('nodes', { nodes: [await proxied(lagging(lab.url, 3))] })).adapter
    const late = await behind.scan(next, ours())
    expect(late).toMatchObject({ next, reorgFrom: null, scannedTo: head.number, sightings: [] })
    expect(late.head.number).toBe(head.number - 3n)
  })

  it('continues after an unreadable transaction, and logs it', async () => {
    const { next } = await opened.adapter.scan(null, ours())
    await deposited(24n)
    await deposited(25n)
    // An unknown transaction type in a block with a valid root: the root is recomputed here as a newer node would.
    const { adapter, lines } = await lab.open('nodes', { nodes: [await proxied(futureKind())] })
    const { sightings } = await adapter.scan(next, ours())
    expect(sightings.map(({ reference }) => reference)).toEqual([25n])
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'a transaction cannot be read' }))
  })

  it('catches up in bounded ranges', async () => {
    const small = (await lab.open('nodes', { settings: { scan_blocks: 4 } })).adapter
    let { next, scannedTo } = await small.scan(null, ours())
    const from = scannedTo
    await lab.mine(5)
    await deposited(26n)
    await lab.mine(4)
    const found: (bigint | null)[] = []
    const stops: bigint[] = []
    for (let turn = 0; turn < 3; turn++) {
      const scan = await small.scan(next, ours())
      next = scan.next
      scannedTo = scan.scannedTo
      stops.push(scannedTo - from)
      found.push(...scan.sightings.map(({ reference }) => reference))
    }
    expect(stops).toEqual([4n, 8n, 10n])
    expect(found).toEqual([26n])
  })

  it('a reorg of final blocks is logged as an error, a short one as info', async () => {
    const { adapter, lines } = await lab.open('nodes')
    await lab.mine(20)
    const { next } = await adapter.scan(null, ours())
    await lab.devnet.reorg(lab.network.name, 2)
    const short = await adapter.scan(next, ours())
    expect(short.reorgFrom).toBe(short.head.number - 2n)
    expect(lines.at(-1)).toMatchObject({ level: 'warn', message: 'chain was reorganised' })
    await lab.devnet.reorg(lab.network.name, lab.network.finalDepth + 1)
    const deep = await adapter.scan(short.next, ours())
    expect(deep.reorgFrom).toBe(deep.head.number - BigInt(lab.network.finalDepth) - 1n)
    expect(lines.at(-1)).toMatchObject({ level: 'error', message: 'blocks that were final are replaced' })
  })
})

/** Turns the first script of the first block into a transaction of an unknown type. */
function futureKind() {
  let isDone = false
  return startProxy(lab.url, {
    answer: ({ operationName }, body: Body) => {
      if (operationName !== 'causewayBlock' || isDone) return undefined
      isDone = true
      const answer = JSON.parse(JSON.stringify(body))
      const [first] = answer.data.block.transactions
      first.rawPayload = first.rawPayload.replace(/^0x0{16}/, '0x0000000000000009')
      const raws = answer.data.block.transactions.map((one: { rawPayload: string }) =>
        Buffer.from(one.rawPayload.slice(2), 'hex'),
      )
      answer.data.block.header.transactionsRoot = hex(treeRoot(raws))
      return answer
    },
  })
}

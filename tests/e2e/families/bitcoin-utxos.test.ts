/**
 * The stored UTXO set of Bitcoin: maintained from the scanned blocks, it matches the chain. The node's full UTXO scan
 * runs once, at the beginning.
 */
import { family } from '@causeway/bitcoin'
import { type ChainAdapter, RetryLater, type SweepSource } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { draw, type Lab, openLab, payment } from '../../../chains/bitcoin/local/src/testbed.ts'
import { scanCoins } from '../../../chains/bitcoin/src/node/calls.ts'
import { type Database, openDatabase } from '../../../server/src/store/db/database.ts'
import { insertDepositAddress, ownedAddresses } from '../../../server/src/store/watch/addresses.ts'
import { readPosition, savePosition } from '../../../server/src/store/watch/cursors.ts'
import { rebuildUtxos, saveUtxos, utxoSet } from '../../../server/src/store/watch/utxos.ts'
import { startServer } from '../../support/chains/samples.ts'
import { testSigner } from '../../support/chains/signer.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

describe('the stored UTXO set', () => {
  let lab: Lab
  let postgres: TestDatabase
  let relay: Awaited<ReturnType<typeof startServer>>
  let database: Database
  let adapter: ChainAdapter
  let asked: string[]
  let cases = 0
  beforeAll(async () => {
    ;[lab, postgres] = await Promise.all([openLab(), startDatabase()])
    // The initial funding of the accounts is deeper than any reorg here.
    await lab.mine(20)
    const node = new URL(lab.network.nodes[0] ?? '')
    const authorization = `Basic ${Buffer.from(`${node.username}:${node.password}`).toString('base64')}`
    node.username = ''
    node.password = ''
    relay = await startServer(async (text) => {
      asked.push(...[JSON.parse(text)].flat().map(({ method }: { method: string }) => method))
      const response = await fetch(node, { method: 'POST', body: text, headers: { authorization } })
      return { status: response.status, body: await response.json() }
    })
  }, 60_000)
  afterAll(async () => {
    await relay.stop()
    await lab.devnet.stop()
    await postgres.stop()
  })
  beforeEach(async () => {
    asked = []
    database = openDatabase(await postgres.createDatabase())
    cases += 1
    adapter = await open()
    return () => database.destroy()
  })

  /** Opens it like a process start: each call is another process. */
  function open(): Promise<ChainAdapter> {
    const { network } = lab
    return family.open({
      network: { ...network, nodes: [relay.url] },
      signer: testSigner(`book ${cases}`),
      log: { info() {}, warn() {}, error() {} },
      coins: utxoSet(database, network.name),
    })
  }

  /** One round of the watcher, as far as the UTXO set is concerned. */
  async function read(): Promise<boolean> {
    const { name } = lab.network
    const before = await readPosition(database, name)
    const scan = await adapter.scan(before?.cursor ?? null, {
      owned: async (addresses) => {
        const own = await ownedAddresses(database, name, addresses)
        return new Set(addresses.includes(adapter.treasury) ? [...own, adapter.treasury] : own)
      },
    })
    await database.transaction().execute(async (queries) => {
      await savePosition(queries, name, { cursor: scan.next, recheckFrom: null }, scan.head, new Date())
      if (scan.coins) await saveUtxos(queries, name, scan.coins)
    })
    return scan.scannedTo === scan.head.number
  }

  /** Waits until the UTXO set is at the head. */
  async function settle(): Promise<void> {
    await eventually(async () => {
      const isThere = await read()
      return isThere && (await utxoSet(database, lab.network.name).position()).block !== null
    }, 'a book at the head')
  }

  async function address(index: number): Promise<SweepSource> {
    const derived = (await adapter.depositAddresses?.derive(index)) ?? ''
    await insertDepositAddress(database, {
      ...{
        network: lab.network.name,
        account: adapter.treasury,
        branch: 0,
        index,
        address: derived,
        purpose: `${index}`,
      },
    })
    return { address: derived, index }
  }

  /** The stored set and the node's full scan, at the same block. */
  async function bothSides(owners: readonly string[]) {
    const view = await utxoSet(database, lab.network.name).unspent(owners)
    const [{ hash, coins }] = await lab.node.ask([scanCoins(owners)])
    const brief = (list: readonly { part: string; units: bigint; height: number }[]) =>
      list.map(({ part, units, height }) => `${part} ${units} ${height}`).toSorted()
    return {
      book: {
        hash: view?.block.hash,
        coins: brief(view?.coins.map((coin) => ({ ...coin, height: Number(coin.madeAt) })) ?? []),
      },
      node: { hash, coins: brief(coins.map((coin) => ({ ...coin, part: `${coin.txid}:${coin.vout}` }))) },
    }
  }

  it('matches the chain through deposits, payouts, sweeps, bursts of blocks and reorgs', async () => {
    const token = lab.network.nativeToken
    await lab.devnet.fund(token, adapter.treasury, 5_000_000n)
    const sources = [await address(1), await address(2), await address(3)]
    await settle()
    // No reorg below goes back beyond the block at which the set began.
    await lab.mine(4)
    const owners = [adapter.treasury, ...sources.map((source) => source.address)]
    const draws = drawnBy(20_261_116)
    for (let step = 0; step < 40; step++) {
      const source = sources[draws(3)] ?? { address: '', index: 0 }
      const move = draws(6)
      if (move === 0) await lab.devnet.transfer(lab.sender, token, adapter.treasury, 20_000n + BigInt(draws(50_000)))
      if (move === 1) await lab.devnet.transfer(lab.sender, token, source.address, 20_000n + BigInt(draws(50_000)))
      if (move === 2) await spend(payment(adapter, [lab.other.address, 10_000n + BigInt(draws(9_000))]))
      if (move === 3) await spend({ kind: 'sweep', account: adapter.treasury, token, sources: [source] })
      if (move === 4) await lab.devnet.reorg(lab.network.name, 1 + draws(3))
      if (move === 5) await lab.mine(1 + draws(9))
      if (draws(3) > 0) await settle()
    }
    await settle()
    const { book, node } = await bothSides(owners)
    expect(book).toEqual(node)
    expect(book.coins.length).toBeGreaterThan(2)
    expect(asked.filter((method) => method === 'scantxoutset')).toHaveLength(1)
  }, 120_000)

  /** Signs and sends if possible; an address may be empty. */
  async function spend(order: Parameters<typeof draw>[1]): Promise<void> {
    try {
      await adapter.broadcast((await draw(adapter, order)).signed)
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error
    }
  }

  it('is read from the node once: no restart, payout, balance or sweep repeats that', async () => {
    const token = lab.network.nativeToken
    await lab.devnet.fund(token, adapter.treasury, 3_000_000n)
    const source = await address(7)
    await settle()
    await lab.devnet.transfer(lab.sender, token, source.address, 70_000n)
    adapter = await open()
    await settle()
    await adapter.broadcast((await draw(adapter, payment(adapter, [lab.other.address, 15_000n]))).signed)
    const wanted = [
      { owner: adapter.treasury, token },
      { owner: source.address, token },
    ]
    expect((await adapter.balances(wanted)).units).toEqual([3_000_000n, 70_000n])
    await adapter.broadcast(
      (await draw(adapter, { kind: 'sweep', account: adapter.treasury, token, sources: [source] })).signed,
    )
    await lab.mine()
    adapter = await open()
    await settle()
    expect((await adapter.balances(wanted)).units[1]).toBe(0n)
    expect((await adapter.balance(adapter.treasury, token)).units).toBe((await adapter.balances(wanted)).units[0])
    expect(asked.filter((method) => method === 'scantxoutset')).toHaveLength(1)
  })

  it('nothing is spent or reported while our coins are not known yet', async () => {
    await lab.devnet.fund(lab.network.nativeToken, adapter.treasury, 900_000n)
    const order = payment(adapter, [lab.other.address, 15_000n])
    await expect(adapter.prepare(order, null)).rejects.toThrow(RetryLater)
    await expect(adapter.balance(adapter.treasury, lab.network.nativeToken)).rejects.toThrow(RetryLater)
    await settle()
    await expect(adapter.prepare(order, null)).resolves.toBeDefined()
  })

  it('a UTXO spent in a block that the set does not include yet is not spent again', async () => {
    await lab.devnet.fund(lab.network.nativeToken, adapter.treasury, 900_000n)
    await settle()
    const order = payment(adapter, [lab.other.address, 15_000n])
    const first = await draw(adapter, order)
    await adapter.broadcast(first.signed)
    await lab.mine()
    await expect(draw(adapter, order)).rejects.toThrow(RetryLater)
    expect((await adapter.balance(adapter.treasury, lab.network.nativeToken)).units).toBe(0n)
    await settle()
    expect((await draw(adapter, order)).slot).toEqual([`${first.signed.hash}:1`])
  })

  it('coins on an address from before it was ours are found by a full rescan', async () => {
    const token = lab.network.nativeToken
    const lost = (await adapter.depositAddresses?.derive(9)) ?? ''
    await settle()
    await lab.devnet.transfer(lab.sender, token, lost, 44_000n)
    await settle()
    await address(9)
    expect((await adapter.balances([{ owner: lost, token }])).units).toEqual([0n])
    await rebuildUtxos(database, lab.network.name)
    await expect(adapter.balances([{ owner: lost, token }])).rejects.toThrow(RetryLater)
    await settle()
    expect((await adapter.balances([{ owner: lost, token }])).units).toEqual([44_000n])
    expect(asked.filter((method) => method === 'scantxoutset')).toHaveLength(2)
  })

  it('changes that do not follow the set, or of an earlier generation, are ignored', async () => {
    await settle()
    const { name } = lab.network
    const book = utxoSet(database, name)
    const at = (await book.position()).block
    const coin = { part: `${'a'.repeat(64)}:0`, owner: adapter.treasury, units: 5n, madeAt: 1n, isCoinbase: false }
    const rest = { backTo: null, made: [coin], spent: [], forgetBefore: 0n, block: { number: 1n, hash: 'other' } }
    await saveUtxos(database, name, { edition: 0n, after: 'elsewhere', ...rest })
    await saveUtxos(database, name, { edition: 1n, after: at?.hash ?? '', ...rest })
    expect(await book.unspent([adapter.treasury])).toEqual({ block: at, coins: [] })
    await rebuildUtxos(database, name)
    await saveUtxos(database, name, { edition: 0n, after: null, ...rest })
    expect(await book.unspent([adapter.treasury])).toBe(null)
  })
})

/** The same pseudo-random numbers below `most` each time, by a linear congruence. */
function drawnBy(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

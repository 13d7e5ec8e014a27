import { Batcher, FeeToken, LyingToken, TestToken } from '@causeway/contracts'
import type { Address, Inspection, Sighting } from '@causeway/core'
import { concat, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeMemo, encodeTransfer } from '../../src/depositing/deposit.ts'
import {
  accountOf,
  control,
  deploy,
  sendAs,
  startChain,
  startProxy,
  testNetwork,
  tokenOf,
  USDC,
  watching,
} from './testbed.ts'

const LYING = '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0'
const FEE = '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'
const network = testNetwork({}, { USDC, LYING, FEE })
const [usdc, native] = [tokenOf(network, 'USDC'), network.nativeToken]

let chain: Awaited<ReturnType<typeof startChain>>
let batcher: Address
let sender: Address
beforeAll(async () => {
  chain = await startChain(network)
  const { local, node } = chain
  sender = accountOf(local, 0).address
  batcher = await deploy(node, accountOf(local, 9).address, Batcher.bytecode)
  await local.fund(usdc, batcher, 1_000_000n)
  await control(node, 'hardhat_setCode', LYING, LyingToken.deployedBytecode)
  await control(node, 'hardhat_setCode', FEE, FeeToken.deployedBytecode)
})
afterAll(() => chain.local.stop())

/** The deposits that a scan finds in everything the work puts on the chain. */
async function sightingsOf(work: () => Promise<unknown>, ours = watching(chain.treasury)): Promise<Sighting[]> {
  const { next } = await chain.adapter.scan(null, ours)
  await work()
  return (await chain.adapter.scan(next, ours)).sightings
}

function call(to: Address, data: Hex = '0x', value = 0n) {
  return { to: to as Hex, data, value }
}

function run(...calls: ReturnType<typeof call>[]): Hex {
  return encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
}

describe('what is sighted', () => {
  test('a native deposit with its memo, once, with the number it carries', async () => {
    const { adapter, local, treasury } = chain
    const ours = watching(treasury)
    const start = await adapter.scan(null, ours)
    const data = encodeMemo(77n)
    const txHash = await local.deposit(accountOf(local, 0), native, {
      toAddress: treasury,
      units: 12_345n,
      callData: data,
    })
    const scan = await adapter.scan(start.next, ours)
    expect(scan).toMatchObject({ scannedTo: scan.head.number, reorgFrom: null })
    expect(scan.sightings).toEqual([
      {
        txHash,
        index: 0,
        block: scan.head,
        refundableSender: sender,
        fundingAddresses: [sender],
        to: treasury,
        amount: { token: native, units: 12_345n },
        reference: 77n,
      },
    ])
    const again = await adapter.scan(scan.next, ours)
    expect(again.sightings).toEqual([])
    expect(again.next).toBe(scan.next)
  })

  test('a token deposit with its memo, at the place of its log', async () => {
    const { local, treasury } = chain
    const data = concat([encodeTransfer(treasury, 5_000n), encodeMemo(78n)])
    const [sighting, ...more] = await sightingsOf(() =>
      local.deposit(accountOf(local, 0), usdc, { toAddress: USDC, units: 0n, callData: data }),
    )
    expect(more).toEqual([])
    expect(sighting).toMatchObject({
      index: 1,
      refundableSender: sender,
      amount: { token: usdc, units: 5_000n },
      reference: 78n,
    })
  })

  test('a scan from nowhere starts with the head and what it holds', async () => {
    const { adapter, local, treasury } = chain
    const txHash = await local.transfer(accountOf(local, 0), native, treasury, 9n)
    const scan = await adapter.scan(null, watching(treasury))
    expect(scan.sightings.map((sighting) => sighting.txHash)).toEqual([txHash])
    expect(scan.scannedTo).toBe(scan.head.number)
  })

  test('a long backlog is scanned in bounded ranges, in order, with one watchlist query each', async () => {
    const { local, open, treasury } = chain
    const adapter = await open({ settings: { scan_blocks: 4 } })
    const ours = watching(treasury)
    let { next } = await adapter.scan(null, ours)
    const hashes: string[] = []
    for (let i = 0; i < 6; i++) {
      hashes.push(await local.transfer(accountOf(local, i % 3), i % 2 ? usdc : native, treasury, 10n + BigInt(i)))
    }
    ours.questions = 0
    const seen: Sighting[] = []
    const reached: bigint[] = []
    for (let i = 0; i < 2; i++) {
      const scan = await adapter.scan(next, ours)
      next = scan.next
      reached.push(scan.head.number - scan.scannedTo)
      seen.push(...scan.sightings)
    }
    expect(reached).toEqual([2n, 0n])
    expect(ours.questions).toBe(2)
    expect(seen.map(({ txHash }) => txHash)).toEqual(hashes)
    expect(seen.map(({ amount }) => amount.units)).toEqual([10n, 11n, 12n, 13n, 14n, 15n])
  })

  test('a sender with code gets no automatic refund, one that only borrows code does', async () => {
    const { local, node, treasury } = chain
    const borrower = accountOf(local, 5).address
    await control(node, 'hardhat_setCode', borrower, `0xef0100${batcher.slice(2)}`)
    const sightings = await sightingsOf(async () => {
      await sendAs(node, sender, { to: batcher, data: run(call(USDC, encodeTransfer(treasury, 30n))) })
      await sendAs(node, borrower, { to: USDC, data: encodeTransfer(treasury, 31n) })
    })
    expect(sightings.map(({ refundableSender: from, amount }) => [from, amount.units])).toEqual([
      [null, 30n],
      [borrower, 31n],
    ])
    await control(node, 'hardhat_setCode', borrower, '0x')
  })

  test('a mint to us has no sender', async () => {
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [chain.treasury as Hex, 8n] })
    const [sighting] = await sightingsOf(() => sendAs(chain.node, sender, { to: USDC, data }))
    expect(sighting).toMatchObject({ refundableSender: null, amount: { units: 8n } })
  })
})

describe('what is not', () => {
  test('a transaction that reverted, though its calldata is right', async () => {
    const { node, treasury } = chain
    const poor = accountOf(chain.local, 6).address
    const data = concat([encodeTransfer(treasury, 10n ** 18n), encodeMemo(79n)])
    let txHash = ''
    const sightings = await sightingsOf(async () => {
      txHash = await sendAs(node, poor, { to: USDC, data })
      await sendAs(node, poor, { to: treasury, value: 7n, gas: 21_100n })
    })
    expect(sightings.map(({ amount }) => amount.units)).toEqual([7n])
    expect((await chain.adapter.inspect(txHash, watching(treasury))).state).toBe('failed')
  })

  test('native value that a transaction carried and, reverting, took back', async () => {
    const { node, treasury } = chain
    const refusing = '0x00000000000000000000000000000000000ab0de'
    // PUSH1 0 PUSH1 0 REVERT
    await control(node, 'hardhat_setCode', refusing, '0x60006000fd')
    const ours = watching(treasury, chain.adapter.parseAddress(refusing) ?? '')
    let txHash = ''
    const sightings = await sightingsOf(async () => {
      txHash = await sendAs(node, sender, { to: refusing, value: 10n ** 18n, data: encodeMemo(84n) })
    }, ours)
    expect(sightings).toEqual([])
    expect((await chain.adapter.inspect(txHash, ours)).state).toBe('failed')
  })

  test('a token that is not listed, even with the same name', async () => {
    const { local, node, treasury } = chain
    const fake = await deploy(node, accountOf(local, 9).address, TestToken.bytecode)
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [treasury as Hex, 10n ** 12n] })
    expect(await sightingsOf(() => sendAs(node, sender, { to: fake, data }))).toEqual([])
  })

  test('native value of an internal call that was reverted, though the transaction succeeded', async () => {
    const { node, treasury } = chain
    const args = [treasury as Hex] as const
    const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'sendAndTakeBack', args })
    let txHash = ''
    const sightings = await sightingsOf(async () => {
      txHash = await sendAs(node, sender, { to: batcher, data, value: 10n ** 18n })
    })
    expect(sightings).toEqual([])
    const found = await chain.adapter.inspect(txHash, watching(treasury))
    expect(found).toMatchObject({ state: 'included', sightings: [] })
  })

  test('a transfer of nothing', async () => {
    const { node, treasury } = chain
    const data = encodeTransfer(treasury, 0n)
    expect(await sightingsOf(() => sendAs(node, sender, { to: USDC, data }))).toEqual([])
  })

  test('what moves between our own addresses', async () => {
    const { local, treasury } = chain
    const own = accountOf(local, 0)
    const ours = watching(treasury, own.address)
    const sightings = await sightingsOf(async () => {
      await local.transfer(own, usdc, treasury, 5n)
      await local.transfer(own, native, treasury, 5n)
    }, ours)
    expect(sightings).toEqual([])
  })
})

describe('the number', () => {
  test('is not read if one transaction holds several transfers to us', async () => {
    const { node, treasury } = chain
    const twice = run(call(USDC, encodeTransfer(treasury, 1n)), call(USDC, encodeTransfer(treasury, 2n)))
    const sightings = await sightingsOf(() =>
      sendAs(node, sender, { to: batcher, data: concat([twice, encodeMemo(80n)]) }),
    )
    expect(sightings.map(({ index, amount, reference }) => [index, amount.units, reference])).toEqual([
      [1, 1n, null],
      [2, 2n, null],
    ])
  })

  test('is not read behind another contract: the submitter chooses its last bytes', async () => {
    const { node, treasury } = chain
    const once = run(call(USDC, encodeTransfer(treasury, 3n)), call(USDC, encodeTransfer(sender, 4n)))
    const [sighting, ...more] = await sightingsOf(() =>
      sendAs(node, sender, { to: batcher, data: concat([once, encodeMemo(81n)]) }),
    )
    expect(more).toEqual([])
    expect(sighting).toMatchObject({ index: 1, amount: { units: 3n }, reference: null })
  })

  test.each([
    ['bytes follow it', (memo: Hex): Hex => `${memo}00`],
    ['bytes stand before it', (memo: Hex): Hex => `0x00${memo.slice(2)}`],
    ['it is zero', (): Hex => encodeMemo(0n)],
  ])('is not read from a native deposit where %s', async (_, spoil) => {
    const { node, treasury } = chain
    const [sighting] = await sightingsOf(() =>
      sendAs(node, sender, { to: treasury, value: 6n, data: spoil(encodeMemo(82n)) }),
    )
    expect(sighting).toMatchObject({ amount: { units: 6n }, reference: null })
  })

  test('is not read from a token call that differs from the actual transfer', async () => {
    const { node, treasury } = chain
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [treasury as Hex, 8n] })
    const [sighting] = await sightingsOf(() =>
      sendAs(node, sender, { to: USDC, data: concat([data, encodeMemo(83n)]) }),
    )
    expect(sighting).toMatchObject({ amount: { units: 8n }, reference: null })
  })
})

describe('the re-read', () => {
  async function inspected(to: Address, data: Hex): Promise<Inspection> {
    const txHash = await sendAs(chain.node, sender, { to, data })
    return chain.adapter.inspect(txHash, watching(chain.treasury))
  }

  test('credits a true token in full', async () => {
    const found = await inspected(USDC, encodeTransfer(chain.treasury, 1_000n))
    expect(found).toMatchObject({ state: 'included', confirmations: 1, sightings: [{ amount: { units: 1_000n } }] })
  })

  test('credits nothing of a token that reports what it did not move', async () => {
    const found = await inspected(LYING, encodeTransfer(chain.treasury, 1_000n))
    expect(found).toMatchObject({ state: 'included', sightings: [] })
  })

  test('credits only what a token with a fee let through', async () => {
    const found = await inspected(FEE, encodeTransfer(chain.treasury, 1_005n))
    expect(found).toMatchObject({ state: 'included', sightings: [{ amount: { units: 905n } }] })
  })

  test('shares the shortfall between the deposits of one block, never more than arrived', async () => {
    const { adapter, node, treasury, local } = chain
    await control(node, 'evm_setAutomine', false)
    const hashes = [
      await sendAs(node, accountOf(local, 1).address, { to: FEE, data: encodeTransfer(treasury, 101n) }),
      await sendAs(node, accountOf(local, 2).address, { to: FEE, data: encodeTransfer(treasury, 1_009n) }),
    ]
    await control(node, 'evm_setAutomine', true)
    await control(node, 'evm_mine')
    const found = await Promise.all(hashes.map((hash) => adapter.inspect(hash, watching(treasury))))
    const units = found.map((each) => (each.state === 'included' ? each.sightings[0]?.amount.units : null))
    // 91 and 909 arrived, 1000 of the 1110 that were logged.
    expect(units).toEqual([90n, 909n])
  })

  test('trusts the logs of a listed token if the node has pruned the balances, and logs that', async () => {
    const { node, open, treasury, url, log } = chain
    const txHash = await sendAs(node, sender, { to: USDC, data: encodeTransfer(treasury, 55n) })
    const pruned = await startProxy(url, ({ id, method, params }) =>
      method === 'eth_call' && params[1] !== 'latest'
        ? { id, error: { code: -32000, message: 'missing trie node' } }
        : undefined,
    )
    const found = await (await open({ nodes: [pruned.url] })).inspect(txHash, watching(treasury))
    expect(found).toMatchObject({ state: 'included', sightings: [{ amount: { units: 55n } }] })
    expect(log.lines.at(-1)).toMatchObject({ level: 'warn', message: 'node cannot prove a balance change' })
    await pruned.stop()
  })

  test('reports pending, unknown and the depth of included transactions', async () => {
    const { adapter, node, treasury, local } = chain
    const ours = watching(treasury)
    await control(node, 'evm_setAutomine', false)
    const txHash = await sendAs(node, sender, { to: treasury, value: 5n })
    expect(await adapter.inspect(txHash, ours)).toEqual({ state: 'pending', sightings: [] })
    await control(node, 'evm_setAutomine', true)
    await local.mine(network.name, 3)
    expect(await adapter.inspect(txHash.toUpperCase().replace('0X', '0x'), ours)).toMatchObject({
      state: 'included',
      confirmations: 3,
      sightings: [{ txHash, amount: { units: 5n } }],
    })
    expect(await adapter.inspect(`0x${'11'.repeat(32)}`, ours)).toEqual({ state: 'unknown' })
    expect(await adapter.inspect('not a hash', ours)).toEqual({ state: 'unknown' })
  })
})

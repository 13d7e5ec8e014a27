/** Each fee model against an oracle that answers like the chain's own, in front of a real EVM. */
import { FeeAboveLimit, type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { decodeFunctionData, type Hex, numberToHex, parseAbi, size } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { accountOf, control, startChain, startProxy, type Wire } from './testbed.ts'

const PRICE = 2n * 10n ** 9n
const OP_ORACLE = '0x420000000000000000000000000000000000000F'
const SCROLL_ORACLE = '0x5300000000000000000000000000000000000002'
const MORPH_ORACLE = '0x530000000000000000000000000000000000000F'
const ABI = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getL1Fee(bytes data) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
  'function tokenRatio() view returns (uint256)',
])

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
  await chain.local.fund(chain.network.nativeToken, chain.treasury, 10n ** 20n)
})
afterAll(() => chain.local.stop())

let stop: (() => Promise<void>) | null = null
afterEach(async () => {
  await stop?.()
  stop = null
})

type Functions = Partial<Record<'getL1FeeUpperBound' | 'getL1Fee' | 'getOperatorFee' | 'tokenRatio', Answering>>
type Answering = (argument: unknown) => bigint

/** The adapter on a node whose oracle has these functions and reverts on all others, as contracts do. */
async function withOracle(oracle: string, functions: Functions, settings: Record<string, unknown>) {
  return opened(settings, (wire) => {
    const [call] = wire.params as [{ to?: string; data: Hex }]
    if (wire.method !== 'eth_call' || call.to?.toLowerCase() !== oracle.toLowerCase()) return
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: call.data })
    const answer = functions[functionName]
    if (!answer) return { id: wire.id, error: { code: 3, message: 'execution reverted' } }
    return { id: wire.id, result: numberToHex(answer(args?.[0]), { size: 32 }) }
  })
}

async function opened(settings: Record<string, unknown>, answer: (wire: Wire) => unknown) {
  const proxy = await startProxy(chain.url, answer)
  stop = proxy.stop
  return { adapter: await chain.open({ nodes: [proxy.url], settings }), counts: proxy.counts }
}

const payment = (): Order => ({
  kind: 'transfers',
  account: chain.treasury,
  transfers: [{ to: accountOf(chain.local, 3).address, amount: { token: chain.network.nativeToken, units: 5n } }],
})

describe('plain', () => {
  test('asks no oracle and no estimate: fees are gas and nothing else', async () => {
    const { adapter, counts } = await opened({}, () => undefined)
    expect((await adapter.fees()).nativeTransfer).toBe(21_000n * PRICE)
    expect(counts.eth_call ?? 0).toBe(0)
    expect(counts.eth_estimateGas ?? 0).toBe(0)
  })
})

describe('op_stack', () => {
  const isthmus: Functions = {
    getL1FeeUpperBound: (bytes) => 1_000n * (bytes as bigint),
    getOperatorFee: (gas) => 3n * (gas as bigint) + 7n,
  }

  test('adds the upper bound of the data fee and the operator fee of the gas', async () => {
    const { adapter } = await withOracle(OP_ORACLE, isthmus, { fee_model: 'op_stack' })
    const fees = await adapter.fees()
    expect(fees.nativeTransfer).toBe(21_000n * PRICE + 60_000n + 63_007n)
    expect(fees.tokenTransfer).toBe(65_000n * PRICE + 130_000n + 195_007n)
    expect(adapter.walletContracts?.byName()).toMatchObject({ evm_oracle_contract: OP_ORACLE })
  })

  test('before Isthmus there is no operator fee, and before Fjord the oracle is shown bytes', async () => {
    const ecotone: Functions = { getL1Fee: (data) => 1_000n * BigInt(size(data as Hex)) }
    const { adapter } = await withOracle(OP_ORACLE, ecotone, { fee_model: 'op_stack' })
    expect((await adapter.fees()).nativeTransfer).toBe(21_000n * PRICE + 60_000n)
  })

  test('without an oracle contract there are no fees, rather than fees that are too low', async () => {
    const { adapter } = await opened({ fee_model: 'op_stack' }, () => undefined)
    await expect(adapter.fees()).rejects.toThrow(RetryLater)
    await expect(adapter.fees()).rejects.toThrow(/does not report the data fee/)
  })

  test('a node that fails to ask the oracle is not mistaken for an oracle without the function', async () => {
    const { adapter } = await opened({ fee_model: 'op_stack' }, (wire) =>
      wire.method === 'eth_call' ? { id: wire.id, error: { code: -32000, message: 'header not found' } } : undefined,
    )
    await expect(adapter.fees()).rejects.toThrow(/header not found/)
  })

  test('a spike of the data fee holds payouts and causes no refund', async () => {
    let perByte = 10n ** 12n
    const spiking: Functions = { ...isthmus, getL1FeeUpperBound: (bytes) => perByte * (bytes as bigint) }
    const { adapter } = await withOracle(OP_ORACLE, spiking, { fee_model: 'op_stack', max_byte_gwei: 1_000 })
    await adapter.prepare(payment(), null)
    perByte = 10n ** 13n
    await expect(adapter.prepare(payment(), null)).rejects.toThrow(FeeAboveLimit)
  })

  test('the treasury’s balance must cover the data fee too', async () => {
    const dear: Functions = { ...isthmus, getL1FeeUpperBound: () => 2n * 10n ** 20n }
    const { adapter } = await withOracle(OP_ORACLE, dear, { fee_model: 'op_stack', max_byte_gwei: 1_000_000_000 })
    await expect(adapter.prepare(payment(), null)).rejects.toThrow(/too little for the gas/)
  })

  test.each([
    ['Isthmus', {}, (21_000n * 2_000_000n) / 1_000_000n],
    ['Jovian', { daFootprintGasScalar: '0x190' }, 21_000n * 2_000_000n * 100n],
  ])('a receipt of %s tells what the operator took', async (_, more, taken) => {
    const account = accountOf(chain.local, 0)
    const hash = await chain.local.transfer(account, chain.network.nativeToken, chain.treasury, 1n)
    const { adapter } = await opened({}, async (wire) => {
      if (wire.method !== 'eth_getTransactionReceipt') return
      const receipt = (await control(chain.node, wire.method, ...wire.params)) as object
      const operator = { operatorFeeScalar: numberToHex(2_000_000), operatorFeeConstant: '0x5', ...more }
      return { id: wire.id, result: { ...receipt, l1Fee: '0x64', ...operator } }
    })
    const status = await adapter.status({ hash, slot: ['0'], account: account.address }, nothingSigned)
    expect(status).toMatchObject({ state: 'included', feeUnits: 21_000n * PRICE + 100n + taken + 5n })
  })
})

describe.each([
  ['scroll', SCROLL_ORACLE],
  ['morph', MORPH_ORACLE],
] as const)('%s', (model, oracle) => {
  test('asks its own oracle by bytes', async () => {
    const functions: Functions = { getL1Fee: (data) => 500n * BigInt(size(data as Hex)) }
    const { adapter } = await withOracle(oracle, functions, { fee_model: model })
    expect((await adapter.fees()).nativeTransfer).toBe(21_000n * PRICE + 30_000n)
    expect(adapter.walletContracts?.byName()).toMatchObject({ evm_oracle_contract: oracle })
  })
})

describe('mantle', () => {
  test('turns the data fee into its own coin by the ratio, and not the operator fee', async () => {
    const functions: Functions = {
      getL1FeeUpperBound: (bytes) => 10n * (bytes as bigint),
      getOperatorFee: () => 9n,
      tokenRatio: () => 4_000n,
    }
    const { adapter } = await withOracle(OP_ORACLE, functions, { fee_model: 'mantle' })
    expect((await adapter.fees()).nativeTransfer).toBe(21_000n * PRICE + 600n * 4_000n + 9n)
  })
})

describe.each(['orbit', 'zksync'])('%s', (model) => {
  /** A node whose chain adds this much gas to a plain transfer, and three times that to a longer one. */
  async function adding(added: () => bigint) {
    return opened({ fee_model: model, max_layer_gas: 2_000_000 }, async (wire) => {
      if (wire.method !== 'eth_estimateGas') return
      const [request] = wire.params as [{ gas?: string }]
      const most = request.gas === undefined ? null : BigInt(request.gas)
      const real = BigInt((await control(chain.node, wire.method, { ...request, gas: undefined })) as string)
      const needed = real + added()
      if (most !== null && needed > most) return { id: wire.id, error: { code: -32000, message: 'out of gas' } }
      return { id: wire.id, result: numberToHex(needed) }
    })
  }

  test('quotes what the chain adds, and pays with it far above the bound of a transfer', async () => {
    const { adapter } = await adding(() => 700_000n)
    // This node's estimate of a plain transfer is above 21,000 by one.
    expect((await adapter.fees()).nativeTransfer).toBe(721_001n * PRICE)
    const { gas } = JSON.parse(await adapter.prepare(payment(), null)) as { gas: string }
    expect(BigInt(gas)).toBeGreaterThan(721_000n)
  })

  test('a spike holds payouts and causes no refund', async () => {
    let added = 700_000n
    const { adapter } = await adding(() => added)
    await adapter.prepare(payment(), null)
    added = 3_000_000n
    // The cached value is still used: the simulation runs out of gas, which proves nothing about the recipient.
    await expect(adapter.prepare(payment(), null)).rejects.toThrow(RetryLater)
    await expect(adapter.prepare(payment(), null)).rejects.toThrow(FeeAboveLimit)
    await expect(adapter.prepare(payment(), null)).rejects.not.toThrow(PayoutImpossible)
  })
})

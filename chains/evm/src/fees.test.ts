import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { termsAbove, termsNow } from './fees.ts'
import { Refusal } from './node.ts'
import { parseSettings } from './settings.ts'
import { control, startChain, startProxy, testNetwork } from './testing.ts'

const GWEI = 10n ** 9n
const settings = parseSettings(testNetwork({ settings: { max_fee_gwei: 100, max_tip_gwei: 5, min_tip_gwei: 1 } }))
const head = (baseFee: bigint | null) => ({ number: 1n, hash: '0x', parentHash: '0x', logsBloom: '0x', baseFee })

describe('terms', () => {
  test('leave room for the base fee to double', () => {
    expect(termsNow(settings, head(20n * GWEI), 2n * GWEI)).toEqual({
      maxFeePerGas: 42n * GWEI,
      maxPriorityFeePerGas: 2n * GWEI,
    })
  })

  test('keep the tip between its bounds, and take the usual one where the node has no idea', () => {
    expect(termsNow(settings, head(1n), 90n * GWEI).maxPriorityFeePerGas).toBe(5n * GWEI)
    expect(termsNow(settings, head(1n), 3n).maxPriorityFeePerGas).toBe(1n * GWEI)
    const refusal = new Refusal('eth_maxPriorityFeePerGas', -32601, 'not found', null)
    expect(termsNow(settings, head(1n), refusal).maxPriorityFeePerGas).toBe(1n * GWEI)
  })

  test('stop at the ceiling, and wait where gas costs more than that already', () => {
    expect(termsNow(settings, head(80n * GWEI), 2n * GWEI).maxFeePerGas).toBe(100n * GWEI)
    expect(() => termsNow(settings, head(99n * GWEI), 2n * GWEI)).toThrow(RetryLater)
    expect(() => termsNow(settings, head(null), 2n * GWEI)).toThrow(/EIP-1559/)
  })

  test('of a replacement are an eighth above the old ones and at least what is usual today', () => {
    const old = { maxFeePerGas: 41n, maxPriorityFeePerGas: 0n }
    expect(termsAbove(settings, old, { maxFeePerGas: 10n, maxPriorityFeePerGas: 0n })).toEqual({
      maxFeePerGas: 47n,
      maxPriorityFeePerGas: 1n,
    })
    expect(termsAbove(settings, old, { maxFeePerGas: 90n, maxPriorityFeePerGas: 7n })).toEqual({
      maxFeePerGas: 90n,
      maxPriorityFeePerGas: 7n,
    })
    const high = { maxFeePerGas: 95n * GWEI, maxPriorityFeePerGas: 1n }
    expect(() => termsAbove(settings, high, old)).toThrow(RetryLater)
  })
})

describe('fees', () => {
  let chain: Awaited<ReturnType<typeof startChain>>
  beforeAll(async () => {
    chain = await startChain()
  })
  afterAll(() => chain.local.stop())

  test('are the gas of each kind at the price of now', async () => {
    expect(await chain.adapter.fees()).toEqual({
      nativeTransfer: 21_000n * 2n * GWEI,
      tokenTransfer: 65_000n * 2n * GWEI,
      sweep: 200_000n * 2n * GWEI,
      relay: 220_000n * 2n * GWEI,
    })
  })

  test('have the share of the layer below where the network says that there is one', async () => {
    // Answers 7 to everything.
    await control(chain.node, 'hardhat_setCode', '0x420000000000000000000000000000000000000F', '0x600760005260206000f3')
    const adapter = await chain.open({ settings: { l1_fee_oracle: true } })
    expect((await adapter.fees()).nativeTransfer).toBe(21_000n * 2n * GWEI + 7n)
  })

  test('the share of the layer below counts in the fee of what was sent', async () => {
    const { local, treasury, network } = chain
    const [account] = local.accounts
    if (!account) throw new Error('no account')
    const hash = await local.transfer(account, network.nativeToken, treasury, 1n)
    const proxy = await startProxy(chain.url, async (wire) => {
      if (wire.method !== 'eth_getTransactionReceipt') return
      const receipt = (await control(chain.node, wire.method, ...wire.params)) as object
      return { id: wire.id, result: { ...receipt, l1Fee: '0x64' } }
    })
    const adapter = await chain.open({ nodes: [proxy.url] })
    const status = await adapter.status({ hash, slot: ['0'], account: account.address })
    expect(status).toMatchObject({ state: 'included', feeUnits: 21_000n * 2n * GWEI + 100n })
    await proxy.stop()
  })
})

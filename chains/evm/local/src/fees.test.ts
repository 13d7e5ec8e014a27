import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { control, startChain, startProxy } from './testing.ts'

const GWEI = 10n ** 9n

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
      relay: 250_000n * 2n * GWEI,
      effort: 2n * GWEI,
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

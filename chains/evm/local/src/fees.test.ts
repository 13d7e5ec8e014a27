import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { control, startChain, startProxy } from './testbed.ts'

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
      recipientGasUnit: 2n * GWEI,
    })
  })

  test('the L1 share is part of the fee of a sent transaction', async () => {
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
    const status = await adapter.status({ hash, slot: ['0'], account: account.address }, nothingSigned)
    expect(status).toMatchObject({ state: 'included', feeUnits: 21_000n * 2n * GWEI + 100n })
    await proxy.stop()
  })
})

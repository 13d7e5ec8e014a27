import { ForwarderFactory } from '@causeway/contracts'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromTopic } from '../../src/address.ts'
import { depositAddress, factoryAddress } from '../../src/depositing/forwarder.ts'
import { contractCall } from '../../src/node/calls.ts'
import { startChain } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

describe('deposit addresses', () => {
  test('never change', () => {
    // Constants: a change would lose the money that is still sent to these addresses.
    const treasury = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const factory = factoryAddress(treasury)
    expect([factory, depositAddress(factory, 0), depositAddress(factory, 1_000_000)]).toEqual([
      '0x9c6ef6f7bF81168225C1FB311a55171cdE949e46',
      '0x5D54d7975D2cA28fa11C544D25EcF3666C10D22E',
      '0x098BC3D5Cc849a5e90A3041259aD90f77b8620f0',
    ])
  })

  test.each([0, 1, 255, 4_294_967_296, Number.MAX_SAFE_INTEGER])(
    'number %d is the address at which the factory deploys',
    async (index) => {
      const factory = factoryAddress(chain.treasury)
      const args = [numberToHex(index, { size: 32 })] as const
      const data = encodeFunctionData({ abi: ForwarderFactory.abi, functionName: 'addressOf', args })
      const [answer] = await chain.node.ask([contractCall({ to: factory, data })])
      expect(fromTopic(answer)).toBe(depositAddress(factory, index))
      expect(await chain.adapter.depositAddresses?.derive(index)).toBe(depositAddress(factory, index))
    },
  )

  test('the factory pays this treasury and no other address', async () => {
    const data = encodeFunctionData({ abi: ForwarderFactory.abi, functionName: 'receiver' })
    const [answer] = await chain.node.ask([contractCall({ to: factoryAddress(chain.treasury), data })])
    expect(fromTopic(answer as Hex)).toBe(chain.treasury)
  })

  test("are not offered if the network's file turns them off", async () => {
    const adapter = await chain.open({ settings: { deposit_addresses: false } })
    expect(adapter.depositAddresses).toBeUndefined()
  })
})

import { ForwarderFactory } from '@causeway/contracts'
import { encodeFunctionData, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromTopic } from '../../src/address.ts'
import { depositAddress, factoryAddress } from '../../src/depositing/forwarder.ts'
import { contractCall } from '../../src/node/calls.ts'
import { startChain } from './testing.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

describe('deposit addresses', () => {
  test('stay where they are for ever', () => {
    // Fixed: whoever changes these loses the money that is still sent to them.
    const treasury = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const factory = factoryAddress(treasury)
    expect([factory, depositAddress(factory, 0), depositAddress(factory, 1_000_000)]).toEqual([
      '0xA5c86bC3CC77f3ccbCB1060A1A5B4E611EEE69C6',
      '0x031515B79494fAF93Fa317a692cd4AA0576FD057',
      '0x4F2eAdb46297cF919517b82f770079586c5d5b7f',
    ])
  })

  test.each([0, 1, 255, 4_294_967_296, Number.MAX_SAFE_INTEGER])(
    'number %d is where the factory itself will deploy',
    async (index) => {
      const factory = factoryAddress(chain.treasury)
      const args = [numberToHex(index, { size: 32 })] as const
      const data = encodeFunctionData({ abi: ForwarderFactory.abi, functionName: 'addressOf', args })
      const [answer] = await chain.node.ask([contractCall({ to: factory, data })])
      expect(fromTopic(answer)).toBe(depositAddress(factory, index))
      expect(await chain.adapter.depositAddresses?.derive(index)).toBe(depositAddress(factory, index))
    },
  )

  test('the factory pays this treasury and nobody else', async () => {
    const data = encodeFunctionData({ abi: ForwarderFactory.abi, functionName: 'receiver' })
    const [answer] = await chain.node.ask([contractCall({ to: factoryAddress(chain.treasury), data })])
    expect(fromTopic(answer as Hex)).toBe(chain.treasury)
  })

  test('are not offered where the network has them off', async () => {
    const adapter = await chain.open({ settings: { deposit_addresses: false } })
    expect(adapter.depositAddresses).toBeUndefined()
  })
})

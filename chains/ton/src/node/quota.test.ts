import { expect, test } from 'vitest'
import { sampleNetwork, testLog } from '../../../../tests/support/chains/samples.ts'
import { askForKey } from './quota.ts'

const TON = { symbol: 'TON', contract: null, decimals: 9 }
const networkOf = (name: string, ...nodes: string[]) => ({ ...sampleNetwork([TON], { name, type: 'ton' }), nodes })

test('a public node without a key is logged once, with the setting that fixes it', () => {
  const log = testLog()
  const network = networkOf('TON_A', 'https://toncenter.com/api/v2/jsonRPC')
  askForKey(network, log)
  askForKey(network, log)
  expect(log.lines).toMatchObject([
    {
      level: 'warn',
      fields: { network: 'TON_A', setting: 'NODES_TON_A=https://toncenter.com/api/v2/jsonRPC?api_key=…' },
    },
  ])
})

test('one with a key, and a private one, need no warning', () => {
  const log = testLog()
  askForKey(networkOf('TON_B', 'https://toncenter.com/api/v2/jsonRPC?api_key=secret'), log)
  askForKey(networkOf('TON_C', 'https://ton.example/jsonRPC', 'https://nottoncenter.com/'), log)
  expect(log.lines).toEqual([])
})

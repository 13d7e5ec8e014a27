/** Deposit addresses are given out only if the factory that sweeps them is deployed. */
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adapterOf } from '../../src/adapter.ts'
import { openChain } from '../../src/chain.ts'
import { accountOf, sendAs, startChain, testNetwork, USDC } from './testbed.ts'

const network = testNetwork({}, { USDC })

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain(network)
})
afterAll(() => chain?.local.stop())

test('they are ready once the factory of this treasury is seen, and the change that puts it there is found', async () => {
  const sender = accountOf(chain.local, 1)
  // The factory of this treasury is not deployed.
  const other = adapterOf(openChain(chain.adapter.network, chain.signer, sender.address, chain.log))
  expect(other.depositAddresses?.isReady?.()).toBe(false)
  await other.contractSurvey?.surveyContracts()
  expect(other.depositAddresses?.isReady?.()).toBe(false)
  const changes = (await other.depository?.change({ action: 'factory' })) ?? []
  expect(changes.map(({ title, by }) => [title.slice(0, 39), by])).toEqual([
    ['deploy the factory of deposit addresses', null],
  ])
  const [deployment] = changes
  if (!deployment) throw new Error('nothing to deploy')
  await sendAs(chain.node, sender.address, { to: deployment.to, data: deployment.data as Hex })
  await other.contractSurvey?.surveyContracts()
  expect(other.depositAddresses?.isReady?.()).toBe(true)
  expect(await other.depository?.change({ action: 'factory' })).toEqual([])
})

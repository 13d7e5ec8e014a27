/**
 * Griefing by a sweep: anyone may empty a deposit address. A stranger does it in the block in which a contract wallet pays there, and not through
 * the factory, whose event would show it. The address holds as much after the block as before, and the deposit must still be found.
 */
import { Batcher } from '@causeway/contracts'
import type { Address, Watchlist } from '@causeway/core'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  accountOf,
  control,
  deploy,
  sendAs,
  startChain,
  testNetwork,
  watching,
} from '../../../chains/evm/local/src/testbed.ts'
import { encodeSweep, factoryAddress, factoryDeployment } from '../../../chains/evm/src/depositing/forwarder.ts'

const network = testNetwork()
const { nativeToken: native } = network
const BRANCH = 217_000_000
const PAID = 10n ** 18n
const NO_TOKEN = '0x0000000000000000000000000000000000000000'

let chain: Awaited<ReturnType<typeof startChain>>
let wallet: Address
beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, treasury } = chain
  wallet = await deploy(node, accountOf(local, 9).address, Batcher.bytecode)
  await local.fund(native, wallet, 100n * PAID)
  const { to, data } = factoryDeployment(treasury)
  await sendAs(node, accountOf(local, 0).address, { to, data })
})
afterAll(() => chain.local.stop())

function watchlist(address: Address): Watchlist {
  const { owned } = watching(chain.treasury, address)
  return { owned, listUpTo: async () => [address], activeAddresses: async () => [address] }
}

const pay = (to: Address) =>
  encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [[{ to: to as Hex, value: PAID, data: '0x' }]] })

test.each(['blocks', 'balances'])('by %s, the deposit of a contract wallet is found', async (mode) => {
  const { node, open, local, treasury, adapter } = chain
  const index = mode === 'blocks' ? 1 : 2
  const [owner, stranger] = [accountOf(local, 0).address, accountOf(local, 1).address]
  const address = (await adapter.depositAddresses?.derive(index, BRANCH)) ?? ''
  // Earlier, the stranger has the forwarder made, by a sweep of nothing.
  const made = encodeSweep(native, [{ address, index, branch: BRANCH }])
  await sendAs(node, stranger, { to: factoryAddress(treasury), data: made })
  const scanning = await open({ settings: { native_scan: mode } })
  const ours = watchlist(address)
  const start = await scanning.scan(null, ours)

  const balance = async () => BigInt(String(await control(node, 'eth_getBalance', treasury, 'latest')))
  const before = await balance()
  const flush = encodeFunctionData({ abi: parseAbi(['function flush(address)']), args: [NO_TOKEN] })
  const sent = [
    { from: owner, to: wallet, data: pay(address), gas: '0x30000', gasPrice: '0x2540be400' },
    { from: stranger, to: address, data: flush, gas: '0x30000', gasPrice: '0x2540be3ff' },
  ]
  await control(node, 'evm_setAutomine', false)
  for (const transaction of sent) await control(node, 'eth_sendTransaction', transaction)
  await control(node, 'evm_setAutomine', true)
  await control(node, 'evm_mine')
  // The service has the money.
  expect((await balance()) - before).toBe(PAID)

  const { sightings } = await scanning.scan(start.next, ours)
  expect(sightings).toMatchObject([{ to: address, amount: { units: PAID } }])
})

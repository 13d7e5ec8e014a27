import { Batcher, Depository, TestToken } from '@causeway/contracts'
import { type Address, ApiError, type Sighting } from '@causeway/core'
import { encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depositoryAddress, depositoryDeployment, paymasterAddress } from '../../src/depositing/depository.ts'
import { accountOf, control, deploy, sendAs, startChain, testNetwork, tokenOf, USDC, watching } from './testbed.ts'

const USDT = '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0'
const network = testNetwork({}, { USDC, USDT })
const ID = numberToHex(1_000_001, { size: 32 })

let chain: Awaited<ReturnType<typeof startChain>>
let sender: Address
beforeAll(async () => {
  chain = await startChain(network)
  sender = accountOf(chain.local, 1).address
  await chain.adapter.contractSurvey?.surveyContracts()
})
afterAll(() => chain?.local.stop())

const native = (receiver: Address = chain.treasury, id: Hex = ID) =>
  encodeFunctionData({ abi: Depository.abi, functionName: 'depositNative', args: [id, receiver as Hex] })

const request = (symbol: string) => ({
  token: tokenOf(network, symbol),
  units: 1_000n,
  receiver: chain.treasury,
  reference: 1_000_001n,
  sourceAddress: null,
})

/** The deposits that the scan and the re-read find in one transaction: they must agree. */
async function sightingsOf(hash: string, adapter = chain.adapter): Promise<Sighting[]> {
  const ours = watching(chain.treasury)
  const found = await adapter.inspect(hash, ours)
  const { sightings } = await adapter.scan(null, ours)
  const scanned = sightings.filter(({ txHash }) => txHash === hash)
  if (found.state !== 'included') throw new Error(`the transaction is ${found.state}`)
  expect(scanned).toEqual(found.sightings)
  return found.sightings
}

describe('the contracts', () => {
  test('never change', () => {
    // Constants. If one changes, every network file must list the old address.
    const treasury = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const depository = depositoryAddress(treasury, treasury)
    expect([depository, paymasterAddress(treasury, depository)]).toMatchInlineSnapshot(`
      [
        "0x7315d3065D41d0E4F503df749c6D1243B82986b0",
        "0x730f0F250c45A66F3f7901e25d3ccc6316d61089",
      ]
    `)
  })

  test('are at their derived addresses, with our treasury as receiver and relayer', async () => {
    expect(await chain.adapter.depository?.report()).toMatchObject({
      depository: depositoryAddress(chain.treasury, chain.treasury),
      depository_deployed: true,
      paymaster_deployed: true,
      owner: chain.treasury,
      paused: false,
      receivers: [chain.treasury],
      strange_receivers: [],
      treasury_is_receiver: true,
    })
  })

  test('another owner makes another address, which is not offered before it is deployed', async () => {
    const settings = { depository_owner: sender }
    const adapter = await chain.open({ settings })
    await adapter.contractSurvey?.surveyContracts()
    const token = tokenOf(network, 'USDC')
    expect([adapter.depository?.accepts(token), adapter.gasless?.supports(token)]).toEqual([false, false])
    await expect(adapter.depository?.depositAction(request('USDC'))).rejects.toThrow(ApiError)
    await expect(adapter.depository?.change({ action: 'pause' })).rejects.toThrow('no Depository')
    expect(await adapter.depository?.report()).toMatchObject({ depository_deployed: false, paymaster_deployed: false })
    const [first, second, ...more] = (await adapter.depository?.change({ action: 'deploy' })) ?? []
    expect(more).toEqual([])
    for (const change of [first, second]) {
      await sendAs(chain.node, sender, { to: change?.to ?? '', data: (change?.data ?? '0x') as Hex })
    }
    await adapter.contractSurvey?.surveyContracts()
    expect([adapter.depository?.accepts(token), adapter.gasless?.supports(token)]).toEqual([true, true])
    expect(await adapter.depository?.change({ action: 'deploy' })).toEqual([])
    expect(await adapter.depository?.report()).toMatchObject({ owner: sender, paused: false })
  })

  test('one key does not own the Depository and relay, unless that is asked for', async () => {
    const paymaster = paymasterAddress(chain.treasury, depositoryAddress(chain.treasury, chain.treasury))
    const code = await control(chain.node, 'eth_getCode', paymaster, 'latest')
    await control(chain.node, 'hardhat_setCode', paymaster, '0x')
    const { depository } = chain.adapter
    expect(await depository?.change({ action: 'deploy' })).toEqual([])
    const asked = await depository?.change({ action: 'deploy', relaysForOwner: true })
    expect(asked).toMatchObject([{ title: `deploy the Paymaster at ${paymaster}` }])
    await control(chain.node, 'hardhat_setCode', paymaster, code)
  })

  test('are no destination for a payout', () => {
    const depository = depositoryAddress(chain.treasury, chain.treasury)
    expect(chain.adapter.isUnpayable(depository)).toBe(true)
    expect(chain.adapter.isUnpayable(paymasterAddress(chain.treasury, depository))).toBe(true)
  })

  test.each(['pause', 'unpause'] as const)('%s is a call that the owner makes', async (action) => {
    const [change] = (await chain.adapter.depository?.change({ action })) ?? []
    expect(change).toMatchObject({ by: chain.treasury, to: depositoryAddress(chain.treasury, chain.treasury) })
  })

  test('replacing a receiver is a call that really replaces it', async () => {
    const owner = accountOf(chain.local, 3).address
    const adapter = await chain.open({ settings: { depository_owner: owner } })
    const { to, data } = depositoryDeployment(owner, chain.treasury)
    await sendAs(chain.node, owner, { to, data })
    const [change] = (await adapter.depository?.change({ action: 'rotate', from: chain.treasury, to: sender })) ?? []
    await sendAs(chain.node, owner, { to: change?.to ?? '', data: change?.data as Hex })
    await adapter.contractSurvey?.surveyContracts()
    expect(await adapter.depository?.report()).toMatchObject({
      receivers: [sender],
      strange_receivers: [sender],
      treasury_is_receiver: false,
    })
    expect(adapter.depository?.accepts(network.nativeToken)).toBe(false)
  })
})

describe('a deposit', () => {
  test('of coins is one sighting at the log position of its event, whichever account sent it', async () => {
    const { toAddress, callData } = (await chain.adapter.depository?.depositAction(request('ETH'))) ?? {}
    const hash = await sendAs(chain.node, sender, { to: toAddress ?? '', data: callData as Hex, value: 1_000n })
    expect(await sightingsOf(hash)).toMatchObject([
      { index: 1, refundableSender: sender, to: chain.treasury, reference: 1_000_001n, amount: { units: 1_000n } },
    ])
  })

  test('of a token is one sighting at the place of its transfer', async () => {
    const { toAddress, callData } = (await chain.adapter.depository?.depositAction(request('USDT'))) ?? {}
    const account = accountOf(chain.local, 1)
    const action = { toAddress: toAddress ?? '', callData: callData ?? null, units: 0n }
    const hash = await chain.local.deposit(account, tokenOf(network, 'USDT'), action)
    expect(await sightingsOf(hash)).toMatchObject([
      { index: 1, refundableSender: sender, to: chain.treasury, reference: 1_000_001n, amount: { units: 1_000n } },
    ])
  })

  test('of coins through another contract has no refundable sender', async () => {
    const batcher = await deploy(chain.node, sender, Batcher.bytecode)
    const to = depositoryAddress(chain.treasury, chain.treasury) as Hex
    const calls = [{ to, value: 5n, data: native() }]
    const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
    const hash = await sendAs(chain.node, sender, { to: batcher, data, value: 5n })
    expect(await sightingsOf(hash)).toMatchObject([
      { refundableSender: null, reference: 1_000_001n, amount: { units: 5n } },
    ])
  })

  test('with an id that is not one of our numbers has no reference, whatever its input ends with', async () => {
    const to = depositoryAddress(chain.treasury, chain.treasury)
    const memo = '435357590000000000000007'
    const data = `${native(chain.treasury, `0x${'ab'.repeat(32)}`)}${memo}` as Hex
    const hash = await sendAs(chain.node, sender, { to, data, value: 5n })
    expect(await sightingsOf(hash)).toMatchObject([{ reference: null, amount: { units: 5n } }])
  })

  test('through a contract that is not listed is not seen; through one that was ours once, it is', async () => {
    const owner = accountOf(chain.local, 4).address
    const old = depositoryAddress(owner, chain.treasury)
    await sendAs(chain.node, owner, depositoryDeployment(owner, chain.treasury))
    const hash = await sendAs(chain.node, sender, { to: old, data: native(), value: 7n })
    expect(await sightingsOf(hash)).toEqual([])
    const adapter = await chain.open({ settings: { old_depositories: [old] } })
    const again = await sendAs(chain.node, sender, { to: old, data: native(), value: 7n })
    expect(await sightingsOf(again, adapter)).toMatchObject([{ reference: 1_000_001n, amount: { units: 7n } }])
  })

  test('that reverted is not a deposit', async () => {
    const to = depositoryAddress(chain.treasury, chain.treasury)
    const hash = await sendAs(chain.node, sender, { to, data: native(sender), value: 7n })
    expect(await chain.adapter.inspect(hash, watching(chain.treasury))).toMatchObject({ state: 'failed' })
  })

  test('of two tokens in one transaction gives each its own reference', async () => {
    const batcher = await deploy(chain.node, sender, Batcher.bytecode)
    const to = depositoryAddress(chain.treasury, chain.treasury) as Hex
    const parts = [
      [USDC, 11n],
      [USDT, 22n],
    ] as const
    const calls = []
    for (const [token, units] of parts) {
      const give = encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [batcher as Hex, units] })
      await sendAs(chain.node, sender, { to: token, data: give })
      const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, units] })
      const args = [numberToHex(units, { size: 32 }), token, chain.treasury as Hex, units] as const
      const data = encodeFunctionData({ abi: Depository.abi, functionName: 'depositERC20', args })
      calls.push({ to: token as Hex, value: 0n, data: approve }, { to, value: 0n, data })
    }
    const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
    const hash = await sendAs(chain.node, sender, { to: batcher, data })
    expect(await sightingsOf(hash)).toMatchObject([
      { reference: 11n, amount: { units: 11n }, refundableSender: null },
      { reference: 22n, amount: { units: 22n }, refundableSender: null },
    ])
  })
})

test('the gas limit of an action has the token’s own gas in it', async () => {
  const coins = await chain.adapter.depository?.depositAction(request('ETH'))
  const tokens = await chain.adapter.depository?.depositAction(request('USDT'))
  expect(tokens?.gasLimit).toBeGreaterThan(coins?.gasLimit ?? 0n)
  expect(coins?.gasLimit).toBeLessThan(150_000n)
})

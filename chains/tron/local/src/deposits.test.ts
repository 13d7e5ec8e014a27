/** Which transfers are deposits and whose, with everything that users, contracts and nodes may do to imitate one. */
import { Batcher, Depository, ForwarderFactory, TestToken } from '@causeway/contracts'
import { type Address, ApiError, type Sighting } from '@causeway/core'
import { concat, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { base58Of, hexOf } from './accounts.ts'
import { DEPOSITORY, FACTORY, USDT } from './test-network.ts'
import { type Body, drain, draw, startChain, startProxy, type Testbed } from './testbed.ts'
import { callOf, creationOf } from './wallet.ts'

const UNITS = 2_000_000n
let bed: Testbed
let batcher: Address
let nextIndex = 0
beforeAll(async () => {
  bed = await startChain()
  batcher = await deploy(Batcher.bytecode)
  await bed.adapter.contractSurvey?.surveyContracts()
})
afterAll(() => bed?.local.stop())

const evm = (address: Address): Hex => `0x${hexOf(address).slice(2)}`
const send = (contract: Address, data: Hex, value = 0n, memo?: string) =>
  bed.wallets.send(bed.user, bed.network.name, { ...callOf(contract, data, value), memo })
const coins = (to: Address, units: bigint, memo: string) =>
  bed.wallets.deposit(bed.user, bed.native, { toAddress: to, units, callData: memo })
const transferData = (to: Address, units: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [evm(to), units] })
const derive = async (index = ++nextIndex) => (await bed.adapter.depositAddresses?.derive(index)) ?? ''

async function deploy(creation: Hex): Promise<Address> {
  const id = await bed.wallets.send(bed.user, bed.network.name, creationOf(bed.user.address, creation))
  const told = (await bed.ask('wallet/gettransactioninfobyid', { value: id })) as Body
  return base58Of(String(told.contract_address))
}

/** The deposits that the scan and the re-read find in a transaction just sent: they must agree. */
async function seen(sending: Promise<string>, ...ours: Address[]): Promise<Sighting[]> {
  const txHash = await sending
  const found = await bed.adapter.inspect(txHash, staticWatchlist(bed.treasury, ...ours))
  const { sightings } = await bed.adapter.scan(null, staticWatchlist(bed.treasury, ...ours))
  if (found.state === 'failed') {
    expect(sightings).toEqual([])
    return []
  }
  if (found.state !== 'included') throw new Error(found.state)
  expect(sightings).toEqual(found.sightings)
  return found.sightings
}

describe('memos', () => {
  test.each(['7', '7000000001'])('"%s" is a number', async (memo) => {
    const [sighting] = await seen(coins(bed.treasury, UNITS, memo))
    expect(sighting).toMatchObject({
      reference: BigInt(memo),
      refundableSender: bed.user.address,
      fundingAddresses: [bed.user.address],
      index: 0,
    })
  })

  test.each(['007', ' 7', '7 ', '7x', '0x7', '+7', '7.0', 'seven', '٧', '99999999999999999'])(
    '"%s" names no swap, and the money is seen all the same',
    async (memo) => {
      const sightings = await seen(coins(bed.treasury, UNITS, memo))
      expect(sightings).toMatchObject([{ reference: null, amount: { units: UNITS } }])
    },
  )

  test('a memo next to a call of another contract is ignored: the submitter may write anything', async () => {
    const { treasury, user } = bed
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [evm(batcher), UNITS] })
    await send(USDT, approval)
    const pull = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [evm(user.address), evm(treasury), UNITS],
    })
    const run = encodeFunctionData({
      abi: Batcher.abi,
      functionName: 'run',
      args: [[{ to: evm(USDT), value: 0n, data: pull }]],
    })
    const sightings = await seen(send(batcher, run, 0n, '7000000001'))
    expect(sightings).toMatchObject([{ reference: null, refundableSender: user.address, amount: { units: UNITS } }])
  })

  test('a memo with money that is not the owner’s own is ignored', async () => {
    const { treasury, user, other, wallets, network } = bed
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [evm(user.address), UNITS] })
    await wallets.send(other, network.name, callOf(USDT, approval))
    const pull = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [evm(other.address), evm(treasury), UNITS],
    })
    const sightings = await seen(send(USDT, pull, 0n, '7000000001'))
    expect(sightings).toMatchObject([{ reference: null, refundableSender: null, fundingAddresses: [other.address] }])
  })

  test('a memo on money to a deposit address names nothing: the address does', async () => {
    const address = await derive()
    expect(await seen(coins(address, UNITS, '7000000001'), address)).toMatchObject([{ to: address, reference: null }])
  })
})

describe('no deposits', () => {
  test('a transfer that failed, with our memo', async () => {
    const txHash = send(USDT, transferData(bed.treasury, 10n ** 18n), 0n, '7000000001')
    expect(await seen(txHash)).toEqual([])
    expect(await bed.adapter.inspect(await txHash, staticWatchlist(bed.treasury))).toMatchObject({ state: 'failed' })
  })

  test('nothing, dust, another token of the same name, and another asset', async () => {
    expect(await seen(send(USDT, transferData(bed.treasury, 0n)))).toEqual([])
    expect(await seen(coins(bed.treasury, 999n, '7'))).toEqual([])
    expect(await seen(coins(bed.treasury, 1_000n, '7'))).toHaveLength(1)
    const fake = await deploy(TestToken.bytecode)
    await send(
      fake,
      encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [evm(bed.user.address), UNITS] }),
    )
    expect(await seen(send(fake, transferData(bed.treasury, UNITS), 0n, '7'))).toEqual([])
    const request = {
      type: 2 as const,
      body: { asset_name: Buffer.from('1005125'), to_address: Buffer.from(hexOf(bed.treasury), 'hex'), amount: UNITS },
    }
    expect(await seen(bed.wallets.send(bed.user, bed.network.name, request))).toEqual([])
  })

  test('a deposit of a contract that only imitates our Depository', async () => {
    const { treasury } = bed
    const [owner, receiver] = [evm(bed.user.address), evm(treasury)]
    const args = encodeAbiParameters([{ type: 'address' }, { type: 'address[]' }], [owner, [receiver]])
    const theirs = await deploy(concat([Depository.bytecode, args]))
    const id = numberToHex(7_000_000_001n, { size: 32 })
    await send(USDT, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [evm(theirs), UNITS] }))
    const call = { abi: Depository.abi, functionName: 'depositERC20', args: [id, evm(USDT), receiver, UNITS] } as const
    expect(await seen(send(theirs, encodeFunctionData(call)))).toMatchObject([{ reference: null }])
  })
})

describe('coins that contracts send', () => {
  const run = (calls: { to: Address; value: bigint }[]) =>
    encodeFunctionData({
      abi: Batcher.abi,
      functionName: 'run',
      args: [calls.map(({ to, value }) => ({ to: evm(to), value, data: '0x' as Hex }))],
    })

  test('arrive at deposit addresses, each separately, and are not refunded automatically', async () => {
    const [one, two] = [await derive(), await derive()]
    const calls = [one, two].map((to) => ({ to, value: UNITS }))
    const sightings = await seen(send(batcher, run(calls), 2n * UNITS, '7'), one, two)
    expect(sightings).toMatchObject([
      {
        to: one,
        index: 100_000,
        refundableSender: null,
        fundingAddresses: [batcher],
        reference: null,
        amount: { units: UNITS },
      },
      {
        to: two,
        index: 100_001,
        refundableSender: null,
        fundingAddresses: [batcher],
        reference: null,
        amount: { units: UNITS },
      },
    ])
  })

  test('do not arrive if the internal call was reverted', async () => {
    const address = await derive()
    const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'sendAndTakeBack', args: [evm(address)] })
    expect(await seen(send(batcher, data, UNITS), address)).toEqual([])
    expect(await bed.balance(address, bed.native)).toBe(0n)
  })
})

describe('deposit addresses', () => {
  test('after a sweep they take tokens, and coins by a call; the chain refuses plain transfers of coins', async () => {
    const { adapter, treasury, usdt, native, local, user } = bed
    const index = ++nextIndex
    const address = await derive(index)
    await local.transfer(user, usdt, address, UNITS)
    const drawn = await draw(adapter, { kind: 'sweep', account: treasury, token: usdt, sources: [{ address, index }] })
    await adapter.broadcast(drawn.signed)
    expect(await bed.balance(address, usdt)).toBe(0n)
    await expect(coins(address, UNITS, '7')).rejects.toThrow('Cannot transfer TRX to a smartContract')
    expect(await seen(local.transfer(user, usdt, address, UNITS), address)).toMatchObject([{ to: address }])
    expect(await seen(send(address, '0x', UNITS), address)).toMatchObject([
      { to: address, index: 0, refundableSender: user.address, amount: { units: UNITS } },
    ])
    const again = await draw(adapter, {
      kind: 'sweep',
      account: treasury,
      token: native,
      sources: [{ address, index }],
    })
    const before = await bed.balance(treasury, native)
    await adapter.broadcast(again.signed)
    const status = await adapter.status({ hash: again.signed.hash, slot: again.slot, account: treasury }, nothingSigned)
    const fee = status.state === 'included' ? status.feeUnits : 0n
    expect(await bed.balance(treasury, native)).toBe(before + UNITS - fee)
  })

  test('a sweep by another account is not a deposit', async () => {
    const { treasury, usdt, local, user } = bed
    const index = ++nextIndex
    const address = await derive(index)
    await local.transfer(user, usdt, address, UNITS)
    const before = await bed.balance(treasury, usdt)
    const args = [[numberToHex(index, { size: 32 })], [evm(USDT)]] as const
    const data = encodeFunctionData({ abi: ForwarderFactory.abi, functionName: 'sweep', args })
    expect(await seen(send(FACTORY, data), address)).toEqual([])
    expect(await bed.balance(treasury, usdt)).toBe(before + UNITS)
  })

  test('are offered only while our factory is deployed', async () => {
    const { adapter, user } = bed
    expect(adapter.depositAddresses?.isReady?.()).toBe(true)
    const nowhere = await bed.open({ settings: { ...bed.network.settings, forwarder_factory: user.address } })
    await nowhere.contractSurvey?.surveyContracts()
    expect(nowhere.depositAddresses?.isReady?.()).toBe(false)
    // A factory made for another chain's addresses is deployed there, and could never sweep ours.
    const args = encodeAbiParameters([{ type: 'address' }, { type: 'bytes1' }], [evm(bed.treasury), '0xff'])
    const foreign = await deploy(concat([ForwarderFactory.bytecode, args]))
    const wrong = await bed.open({ settings: { ...bed.network.settings, forwarder_factory: foreign } })
    await wrong.contractSurvey?.surveyContracts()
    expect(wrong.depositAddresses?.isReady?.()).toBe(false)
    const without = await bed.open({ settings: { genesis: bed.network.settings.genesis } })
    expect(without.depositAddresses).toBeUndefined()
  })
})

describe('the Depository', () => {
  const request = () => ({
    token: bed.usdt,
    units: UNITS,
    receiver: bed.treasury,
    reference: 7_000_000_002n,
    sourceAddress: null,
  })

  test('accepts tokens and no coins, as specified', async () => {
    const { adapter, native, usdt, treasury } = bed
    expect([adapter.depository?.accepts(usdt), adapter.depository?.accepts(native)]).toEqual([true, false])
    const action = await adapter.depository?.depositAction(request())
    const id = numberToHex(7_000_000_002n, { size: 32 })
    const call = {
      abi: Depository.abi,
      functionName: 'depositERC20',
      args: [id, evm(USDT), evm(treasury), UNITS],
    } as const
    expect(action).toEqual({
      type: 'transfer',
      toAddress: DEPOSITORY,
      units: 0n,
      callData: encodeFunctionData(call),
      gasLimit: 248_300n,
      encodedArgs: [id, evm(USDT), evm(treasury), numberToHex(UNITS)],
    })
    await expect(adapter.depository?.depositAction({ ...request(), token: native })).rejects.toThrow(ApiError)
  })

  test('names the swap itself, once, whatever a memo says', async () => {
    const { adapter, user, usdt, local } = bed
    const action = await adapter.depository?.depositAction(request())
    if (!action) throw new Error('there is a Depository')
    expect(await seen(local.deposit(user, usdt, action))).toMatchObject([
      { reference: 7_000_000_002n, refundableSender: user.address, amount: { units: UNITS }, to: bed.treasury },
    ])
  })

  test('names its own deposit, not an equal transfer before it in the same transaction', async () => {
    const { other, wallets, network, treasury, local, usdt } = bed
    const [id, usdtAt] = [numberToHex(7_000_000_003n, { size: 32 }), evm(USDT)]
    const erc20 = (functionName: 'approve' | 'transferFrom', ...args: (Hex | bigint)[]) =>
      encodeFunctionData({ abi: erc20Abi, functionName, args: args as never })
    await wallets.send(other, network.name, callOf(USDT, erc20('approve', evm(batcher), UNITS)))
    await local.fund(usdt, batcher, UNITS)
    const deposit = { abi: Depository.abi, functionName: 'depositERC20' } as const
    const calls = [
      { to: usdtAt, data: erc20('transferFrom', evm(other.address), evm(treasury), UNITS) },
      { to: usdtAt, data: erc20('approve', evm(DEPOSITORY), UNITS) },
      { to: evm(DEPOSITORY), data: encodeFunctionData({ ...deposit, args: [id, usdtAt, evm(treasury), UNITS] }) },
    ].map((call) => ({ ...call, value: 0n }))
    const run = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
    expect(await seen(send(batcher, run))).toMatchObject([
      { fundingAddresses: [other.address], reference: null },
      { fundingAddresses: [batcher], reference: 7_000_000_003n },
    ])
  })

  test('is closed if it is not ours', async () => {
    const { user, usdt } = bed
    const nowhere = await bed.open({ settings: { ...bed.network.settings, depository: user.address } })
    await nowhere.contractSurvey?.surveyContracts()
    expect(nowhere.depository?.accepts(usdt)).toBe(false)
    await expect(nowhere.depository?.depositAction(request())).rejects.toThrow(ApiError)
  })
})

describe('nodes that lie', () => {
  const arrival = () => bed.local.transfer(bed.user, bed.usdt, bed.treasury, UNITS)

  test('a log with more than the call asked for is rejected, and another node is asked', async () => {
    const { treasury } = bed
    const greedy = await startProxy(bed.url, async (path, _, truth) => {
      const told = (await truth()) as Body | Body[]
      if (!path.startsWith('wallet/gettransactioninfo')) return told
      const more = (one: Body) => ({
        ...one,
        log: (one.log as Body[] | undefined)?.map((log) => ({
          ...log,
          data: 'ff'.padStart(64, '0').replace(/^00/, '01'),
        })),
      })
      return Array.isArray(told) ? told.map(more) : more(told)
    })
    const txHash = await arrival()
    const deceived = await bed.open({ nodes: [greedy.url] })
    await expect(deceived.inspect(txHash, staticWatchlist(treasury))).rejects.toThrow('its call did not request')
    await expect(deceived.scan(null, staticWatchlist(treasury))).rejects.toThrow('its call did not request')
    const both = await bed.open({ nodes: [greedy.url, bed.url] })
    expect(await both.inspect(txHash, staticWatchlist(treasury))).toMatchObject({
      sightings: [{ amount: { units: UNITS } }],
    })
    await greedy.stop()
  })

  test('a block with an omitted transaction or receipt is not skipped', async () => {
    const { treasury, adapter } = bed
    const cursor = (await drain(adapter, null)).next
    const txHash = await arrival()
    for (const hidden of ['block', 'receipts']) {
      const liar = await startProxy(bed.url, async (path, _, truth) => {
        const told = (await truth()) as { block?: Body[] }
        if (hidden === 'receipts') return path === 'wallet/gettransactioninfobyblocknum' ? [] : told
        if (path !== 'wallet/getblockbylimitnext') return told
        return { block: told.block?.map(({ transactions: _, ...block }) => block) }
      })
      const deceived = await bed.open({ nodes: [liar.url] })
      await expect(deceived.scan(cursor, staticWatchlist(treasury))).rejects.toThrow()
      await liar.stop()
    }
    expect((await drain(adapter, cursor)).sightings.map((sighting) => sighting.txHash)).toEqual([txHash])
  })

  test('with a quorum, a deposit that one node invents is rejected', async () => {
    const { treasury, url } = bed
    const txHash = await bed.local.transfer(bed.user, bed.native, bed.other.address, UNITS)
    const inventive = await startProxy(url, async (path, body, truth) => {
      const told = (await truth()) as Body
      if (path !== 'wallet/gettransactioninfobyid' || body.value !== txHash) return told
      const inner = {
        caller_address: hexOf(bed.user.address),
        transferTo_address: hexOf(treasury),
        callValueInfo: [{ callValue: 10_000_000 }],
        note: Buffer.from('call').toString('hex'),
      }
      return { ...told, internal_transactions: [inner] }
    })
    const careful = await bed.open({ nodes: [inventive.url, url, url.replace('127.0.0.1', 'localhost')], quorum: 2 })
    expect(await careful.inspect(txHash, staticWatchlist(treasury))).toMatchObject({ state: 'included', sightings: [] })
    await inventive.stop()
  })
})

test('several transactions are in one block, each proven', async () => {
  const { control, treasury, user, other, native, adapter, mine, wallets } = bed
  const cursor = (await drain(adapter, null)).next
  await control('automine', { on: false })
  const sending = [user, other, user, other, user].map((account) => wallets.transfer(account, native, treasury, UNITS))
  while (((await bed.ask('devnet/waiting')) as { count: number }).count < 5)
    await new Promise((next) => setTimeout(next, 5))
  await mine(1)
  await control('automine', { on: true })
  const hashes = await Promise.all(sending)
  const { sightings } = await drain(adapter, cursor)
  expect(new Set(sightings.map(({ block }) => block?.hash)).size).toBe(1)
  expect(sightings.map(({ txHash }) => txHash).toSorted()).toEqual(hashes.toSorted())
})

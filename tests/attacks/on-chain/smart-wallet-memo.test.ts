/**
 * The submitter of a smart wallet's call chooses its trailing bytes. The attack: a victim's wallet sends us money, and
 * the relayer appends the reference of their own swap, to be paid in the victim's place.
 */
import { Batcher } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { concatHex, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { control, deploy, send, settleOn } from '../../support/chains/evm.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ARBITRUM_SEPOLIA'
const TO = 'OPTIMISM_SEPOLIA'
const STOLEN = 500_000_000n

let world: World
let usdt: Token
let treasury: Hex
/** The thief's key, which pays the gas. */
let thief: string

beforeAll(async () => {
  world = await startWorld()
  usdt = world.token(FROM, 'USDT')
  treasury = world.sandbox.treasuries[FROM] as Hex
  thief = world.account(FROM, 8).secret
})
afterAll(() => world?.stop())

const swapFor = (body: Record<string, unknown> = {}): Promise<WireSwap> =>
  world.client.create({
    source_network: FROM,
    source_token: 'USDT',
    destination_network: TO,
    destination_token: 'USDT',
    destination_address: world.stranger(),
    amount: 500,
    ...body,
  })

/** As in our deposit actions: a magic prefix and the reference. */
function memoOf({ swap }: WireSwap): Hex {
  return concatHex(['0x43535759', numberToHex(swap.metadata.sequence_number, { size: 8 })])
}

/** The call that the victim signed: one transfer to us without a reference. */
function agreedCall(): Hex {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [treasury, STOLEN] })
  const calls = [{ to: usdt.contract as Hex, value: 0n, data }]
  return encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
}

async function expectUnmatched(swap: WireSwap, hash: Hex): Promise<void> {
  await settleOn(world, FROM)
  expect(await world.query('select units, swap_id from deposit where tx_hash = $1', [hash])).toEqual([
    { units: `${STOLEN}`, swap_id: null },
  ])
  const { swap: found } = await world.client.swap(swap.swap.id)
  expect(found).toMatchObject({ status: 'user_transfer_pending', transactions: [] })
}

it("a number that a relayer appends to a smart wallet's call redirects no money", async () => {
  const swap = await swapFor()
  const victim = await deploy(world, FROM, Batcher)
  await world.devnet(FROM).fund(usdt, victim, STOLEN)
  const { transactionHash } = await send(
    world,
    FROM,
    { to: victim, data: concatHex([agreedCall(), memoOf(swap)]) },
    thief,
  )
  await expectUnmatched(swap, transactionHash)
})

it('nor one behind the call of an account that delegates to code (EIP-7702)', async () => {
  const swap = await swapFor()
  const code = await deploy(world, FROM, Batcher)
  const victim = privateKeyToAccount(generatePrivateKey()).address
  await control(world, FROM, 'hardhat_setCode', victim, `0xef0100${code.slice(2)}`)
  await world.devnet(FROM).fund(usdt, victim, STOLEN)
  const { transactionHash } = await send(
    world,
    FROM,
    { to: victim, data: concatHex([agreedCall(), memoOf(swap)]) },
    thief,
  )
  await expectUnmatched(swap, transactionHash)
})

it('nor an inner call that looks exactly like the deposit that we asked for', async () => {
  const swap = await swapFor()
  const victim = await deploy(world, FROM, Batcher)
  await world.devnet(FROM).fund(usdt, victim, STOLEN)
  // The wallet passes trailing bytes on to the target: the input ends like a deposit action.
  const data = concatHex(['0x00000000', usdt.contract as Hex, actionOf(swap).call_data as Hex])
  const { transactionHash } = await send(world, FROM, { to: victim, data }, thief)
  await expectUnmatched(swap, transactionHash)
})

it('a contract as source address gets instructions at creation, and a borrower of code is accepted', async () => {
  const wallet = await deploy(world, FROM, Batcher)
  const route = { source_network: FROM, source_token: 'USDT', destination_network: TO, destination_token: 'USDT' }
  const body = { ...route, destination_address: world.stranger(), amount: 500, source_address: wallet }
  const refused = await world.client.post('/api/v2/swaps', body)
  expect(refused).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } })
  expect(refused.error?.message).toMatch(/use_depository or use_deposit_address/)
  expect(refused.error?.metadata).toHaveProperty('source_address')
  for (const flag of ['use_depository', 'use_deposit_address'])
    expect(await world.client.post('/api/v2/swaps', { ...body, [flag]: true })).toMatchObject({ status: 200 })
  const borrower = privateKeyToAccount(generatePrivateKey()).address
  await control(world, FROM, 'hardhat_setCode', borrower, `0xef0100${wallet.slice(2)}`)
  expect(await world.client.post('/api/v2/swaps', { ...body, source_address: borrower })).toMatchObject({ status: 200 })
})

it('a smart wallet deposits through the Depository with its own reference', async () => {
  const wallet = await deploy(world, FROM, Batcher)
  await world.devnet(FROM).fund(usdt, wallet, STOLEN)
  const destination = world.stranger()
  const swap = await swapFor({ use_depository: true, source_address: wallet, destination_address: destination })
  const action = actionOf(swap)
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [action.to_address as Hex, STOLEN],
  })
  const calls = [
    { to: usdt.contract as Hex, value: 0n, data: approve },
    { to: action.to_address as Hex, value: 0n, data: action.call_data as Hex },
  ]
  const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
  // A foreign reference appended to it is ignored.
  const rival = await swapFor()
  await send(world, FROM, { to: wallet, data: concatHex([data, memoOf(rival)]) }, thief)
  const ended = await world.client.reaches(swap.swap.id, 'completed')
  const paid = world.token(TO, 'USDT')
  expect(await world.balance(paid, destination)).toBe(unitsOf(ended.quote.receive_amount, paid))
  expect((await world.client.swap(rival.swap.id)).swap.status).toBe('user_transfer_pending')
})

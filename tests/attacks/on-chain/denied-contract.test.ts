/**
 * Screening must see the payer even if it is not refundable. The attack: a contract on the deny list deposits in every
 * way a contract can, hoping to be missed because contracts get no refunds.
 */
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Batcher, Depository, SigningWallet } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy, send } from '../../support/chains/evm.ts'
import { gaslessIn, signWith, unitsFor } from '../../support/chains/gasless.ts'
import { actionOf, startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'BASE_SEPOLIA'
const TO = 'OPTIMISM_SEPOLIA'
const list = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-deny-')), 'list.txt')

let world: World
let usdc: Token
const denied = new Set<string>()
let writes = 0

beforeAll(async () => {
  writeFileSync(list, '')
  world = await startWorld({ SCREENING_FILE: list })
  usdc = world.token(FROM, 'USDC')
})
afterAll(() => world?.stop())

function deny(address: string): void {
  denied.add(address)
  writeFileSync(list, [...denied].join('\n'))
  // A different timestamp each, however fast the tests are.
  utimesSync(list, new Date(), new Date(Date.now() + 1_000 * ++writes))
}

const swapFor = (body: Record<string, unknown>): Promise<WireSwap> =>
  world.client.create({
    source_network: FROM,
    source_token: 'USDC',
    destination_network: TO,
    destination_token: 'USDC',
    destination_address: world.stranger(),
    amount: 50,
    ...body,
  })

/** The contract makes these calls, triggered by an unlisted account. */
async function runBy(contract: Hex, calls: { to: string; data: string; value?: bigint }[], value = 0n): Promise<void> {
  const listed = calls.map(({ to, data, value: sent = 0n }) => ({ to: to as Hex, data: data as Hex, value: sent }))
  const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [listed] })
  expect((await send(world, FROM, { to: contract, data, value })).status).toBe('success')
}

async function expectHeld(swap: WireSwap, contract: Hex): Promise<void> {
  const hold = await eventually(async () => {
    const [row] = await world.query<{ code: string; params: { address?: string } }>(
      'select code, params from hold join payout on payout.id = payout_id where swap_id = $1 and closed_at is null',
      [swap.swap.id],
    )
    return row
  }, 'the payout to be held')
  expect(hold.code).toBe('screened')
  expect(hold.params.address?.toLowerCase()).toBe(contract.toLowerCase())
  const attempts = await world.query(
    'select 1 from payout join slot_payout on payout_id = payout.id where swap_id = $1',
    [swap.swap.id],
  )
  expect(attempts).toEqual([])
}

async function deniedContract(): Promise<Hex> {
  const contract = await deploy(world, FROM, Batcher)
  deny(contract)
  return contract
}

it('to a deposit address', async () => {
  const contract = await deniedContract()
  await world.devnet(FROM).fund(usdc, contract, 50_000_000n)
  const swap = await swapFor({ use_deposit_address: true })
  const to = actionOf(swap).to_address as Hex
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 50_000_000n] })
  await runBy(contract, [{ to: usdc.contract ?? '', data }])
  await expectHeld(swap, contract)
})

it('through the Depository, in tokens and in coins', async () => {
  const contract = await deniedContract()
  await world.devnet(FROM).fund(usdc, contract, 50_000_000n)
  const swap = await swapFor({ use_depository: true })
  const action = actionOf(swap)
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [action.to_address as Hex, 50_000_000n],
  })
  await runBy(contract, [
    { to: usdc.contract ?? '', data: approve },
    { to: action.to_address, data: action.call_data ?? '' },
  ])
  await expectHeld(swap, contract)
  const coins = await swapFor({ use_depository: true, source_token: 'ETH', amount: 0.05 })
  const { to_address, call_data, amount_in_base_units } = actionOf(coins)
  const value = BigInt(amount_in_base_units)
  await runBy(contract, [{ to: to_address, data: call_data ?? '', value }], value)
  await expectHeld(coins, contract)
})

it('through another unlisted contract: its caller is seen', async () => {
  const secret = generatePrivateKey()
  const { address } = privateKeyToAccount(secret)
  await world.devnet(FROM).fund(world.token(FROM, 'ETH'), address, 10n ** 18n)
  const swap = await swapFor({ use_depository: true, source_token: 'ETH', amount: 0.05 })
  deny(address)
  const between = await deploy(world, FROM, Batcher)
  const { to_address, amount_in_base_units } = actionOf(swap)
  const value = BigInt(amount_in_base_units)
  const args = [
    numberToHex(swap.swap.metadata.sequence_number, { size: 32 }),
    world.sandbox.treasuries[FROM] as Hex,
  ] as const
  const inner = encodeFunctionData({ abi: Depository.abi, functionName: 'depositNative', args })
  const calls = [{ to: to_address as Hex, data: inner, value }]
  const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
  expect((await send(world, FROM, { to: between, data, value }, secret)).status).toBe('success')
  await expectHeld(swap, address)
})

it('by a signature: an owner listed after creation is not relayed for', async () => {
  const gasless = gaslessIn(world)
  const secret = generatePrivateKey()
  const wallet = await deploy(world, FROM, SigningWallet, [privateKeyToAccount(secret).address])
  await world.devnet(FROM).fund(usdc, wallet, unitsFor(usdc))
  const swap = await gasless.swapFor(usdc, wallet)
  deny(wallet)
  const signature = await signWith(secret, actionOf(swap).typed_data)
  await gasless.authorize(swap, `0x00${signature.slice(2)}`, wallet)
  await gasless.reaches(swap, 'rejected')
  expect(await world.balance(usdc, wallet)).toBe(unitsFor(usdc))
  expect(await world.query('select 1 from deposit where swap_id = $1', [swap.swap.id])).toEqual([])
})

it('its refund is held too: money of a listed sender is not moved automatically', async () => {
  const contract = await deniedContract()
  await world.devnet(FROM).fund(usdc, contract, 10n ** 12n)
  const swap = await swapFor({ use_deposit_address: true, refund_address: world.stranger() })
  const to = actionOf(swap).to_address as Hex
  // Above every maximum, so it can only be refunded.
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 10n ** 12n] })
  await runBy(contract, [{ to: usdc.contract ?? '', data }])
  await expectHeld(swap, contract)
})

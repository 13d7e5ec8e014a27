/** Hostile deposits on EVM networks: reverted, lying, ambiguous. Real transactions on a real EVM. */
import { Batcher, BlockingToken, FeeToken, LyingToken, TestToken } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { concatHex, createWalletClient, encodeFunctionData, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ARBITRUM_SEPOLIA'
const TO = 'OPTIMISM_SEPOLIA'

let world: World
let eth: Token
let usdt: Token

beforeAll(async () => {
  world = await startWorld({ PAYOUT_PATIENCE_SECONDS: '1' })
  eth = world.token(FROM, 'ETH')
  usdt = world.token(FROM, 'USDT')
})
afterAll(() => world.stop())

/** A wallet that sends anything without checks. */
function walletOn(network: string, index = 0) {
  const account = privateKeyToAccount(world.account(network, index).secret as Hex)
  const { chainId } = world.sandbox.catalogue.network(network)
  const chain = { ...hardhat, id: Number(chainId) }
  const url = world.devnet(network).nodes[network]
  return createWalletClient({ account, chain, transport: http(url) }).extend(publicActions)
}

async function send(network: string, to: Hex, data: Hex, value = 0n, index = 0): Promise<Hex> {
  const wallet = walletOn(network, index)
  const hash = await wallet.sendTransaction({ to, data, value, gas: 500_000n })
  await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  return hash
}

async function deploy(network: string, contract: { abi: readonly unknown[]; bytecode: string }): Promise<Hex> {
  const wallet = walletOn(network)
  const hash = await wallet.deployContract({ abi: contract.abi, bytecode: contract.bytecode as Hex })
  const { contractAddress } = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  if (!contractAddress) throw new Error('nothing was deployed')
  return contractAddress
}

/** Replaces the code of a listed token; balances stay. */
async function recode(token: Token, code: string): Promise<void> {
  const rpc = walletOn(token.network).request as (call: { method: string; params: unknown[] }) => Promise<unknown>
  await rpc({ method: 'hardhat_setCode', params: [token.contract, code] })
}

function swapFor(body: Record<string, unknown> = {}): Promise<WireSwap> {
  return world.client.create({
    source_network: FROM,
    source_token: 'USDT',
    destination_network: TO,
    destination_token: 'ETH',
    destination_address: world.stranger(),
    amount: 50,
    ...body,
  })
}

/** Waits until the service has scanned further blocks: by then it has noticed everything. */
async function settleOn(network: string): Promise<void> {
  const head = await walletOn(network).getBlockNumber({ cacheTime: 0 })
  await world.devnet(network).mine(network, 8)
  await eventually(async () => {
    const [row] = await world.query<{ head: string }>(
      'select head_number as head from chain_cursor where network = $1',
      [network],
    )
    return row && BigInt(row.head) >= head + 8n
  }, 'the watcher to pass')
}

async function expectIgnored(swap: WireSwap): Promise<void> {
  await settleOn(FROM)
  const { swap: found } = await world.client.swap(swap.swap.id)
  expect(found).toMatchObject({ status: 'user_transfer_pending', transactions: [] })
}

it('row 15: a reverted transaction with matching calldata is no deposit', async () => {
  const swap = await swapFor()
  const { to_address, call_data } = actionOf(swap)
  const poor = await walletOn(FROM).readContract({
    address: usdt.contract as Hex,
    abi: TestToken.abi,
    functionName: 'balanceOf',
    args: [world.account(FROM, 9).address as Hex],
  })
  await world.devnet(FROM).transfer(world.account(FROM, 9), usdt, world.stranger(), poor as bigint)
  const hash = await send(FROM, to_address as Hex, call_data as Hex, 0n, 9)
  expect((await walletOn(FROM).getTransactionReceipt({ hash })).status).toBe('reverted')
  await world.client.post(`/api/v2/swaps/${swap.swap.id}/deposit_speedup`, { transaction_id: hash })
  await expectIgnored(swap)
})

it('row 16: a token that is not the listed contract is no deposit, whatever it calls itself', async () => {
  const swap = await swapFor()
  const fake = await deploy(FROM, TestToken)
  await send(FROM, fake, encodeFunctionData({ abi: TestToken.abi, functionName: 'init', args: ['Tether', 'USDT', 6] }))
  const owner = world.account(FROM, 0).address as Hex
  await send(FROM, fake, encodeFunctionData({ abi: TestToken.abi, functionName: 'mint', args: [owner, 10n ** 12n] }))
  await send(FROM, fake, actionOf(swap).call_data as Hex)
  await expectIgnored(swap)
})

it('row 17: of a fee-on-transfer token only what arrived is credited', async () => {
  await recode(usdt, FeeToken.deployedBytecode)
  const swap = await swapFor()
  await world.deposit(usdt, actionOf(swap))
  const credited = await eventually(async () => {
    const [row] = await world.query<{ units: string }>(
      "select units from deposit where swap_id = $1 and state = 'confirmed'",
      [swap.swap.id],
    )
    return row?.units
  }, 'the deposit to be confirmed')
  await recode(usdt, TestToken.deployedBytecode)
  expect(credited).toBe('45000000')
  expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
})

it('row 17: a token that reports a transfer without making it is credited nothing', async () => {
  await recode(usdt, LyingToken.deployedBytecode)
  const swap = await swapFor()
  await world.deposit(usdt, actionOf(swap))
  await settleOn(FROM)
  await recode(usdt, TestToken.deployedBytecode)
  const { swap: found } = await world.client.swap(swap.swap.id)
  expect(found.status).toBe('user_transfer_pending')
  const credited = await world.query('select 1 from ledger_entry where swap_id = $1', [swap.swap.id])
  expect(credited).toEqual([])
})

it('row 19: native value in an inner call that reverted is no deposit', async () => {
  const swap = await swapFor({ source_token: 'ETH', amount: 0.1, use_deposit_address: true })
  const batcher = await deploy(FROM, Batcher)
  const target = actionOf(swap).to_address as Hex
  const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'sendAndTakeBack', args: [target] })
  await send(FROM, batcher, data, 10n ** 17n)
  await expectIgnored(swap)
  expect(await world.balance(eth, target)).toBe(0n)
})

it('row 20a: coins that a contract sends to a deposit address are credited once, when final', async () => {
  const swap = await swapFor({ source_token: 'ETH', amount: 0.1, use_deposit_address: true })
  const batcher = await deploy(FROM, Batcher)
  await world.devnet(FROM).fund(eth, batcher, 10n ** 18n)
  const call = { to: actionOf(swap).to_address as Hex, value: 10n ** 17n, data: '0x' as Hex }
  await send(FROM, batcher, encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [[call]] }))
  const { finalDepth } = world.sandbox.catalogue.network(FROM)
  await world.devnet(FROM).mine(FROM, finalDepth + 1)
  await world.client.reaches(swap.swap.id, 'completed')
  await settleOn(FROM)
  const credited = await world.query<{ units: string }>(
    'select units, state, confirmations_wanted as wanted, final_only from deposit where swap_id = $1',
    [swap.swap.id],
  )
  expect(credited).toEqual([{ units: `${10n ** 17n}`, state: 'confirmed', wanted: finalDepth, final_only: true }])
})

it('row 20: trailing bytes that only look like a memo match nothing', async () => {
  const swap = await swapFor({ source_token: 'ETH', amount: 0.1 })
  const { to_address, call_data } = actionOf(swap)
  const memo = call_data as Hex
  await send(FROM, to_address as Hex, concatHex(['0x01', memo]), 10n ** 17n)
  await send(FROM, to_address as Hex, concatHex([memo, '0x00']), 10n ** 17n)
  await send(FROM, to_address as Hex, concatHex([memo, memo]), 10n ** 17n)
  await expectIgnored(swap)
})

it('row 20: several transfers to us in one batch match no swap and are kept as unmatched', async () => {
  const swap = await swapFor()
  const batcher = await deploy(FROM, Batcher)
  await world.devnet(FROM).transfer(world.account(FROM, 0), usdt, batcher, 200_000_000n)
  const call = { to: usdt.contract as Hex, value: 0n, data: actionOf(swap).call_data as Hex }
  const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [[call, call]] })
  const hash = await send(FROM, batcher, data)
  await expectIgnored(swap)
  const kept = await world.query<{ units: string; swap_id: string | null }>(
    'select units, swap_id from deposit where tx_hash = $1',
    [hash],
  )
  expect(kept).toEqual([
    { units: '50000000', swap_id: null },
    { units: '50000000', swap_id: null },
  ])
})

it('row 22: a payout that the token refuses is held, then the deposit is refunded', async () => {
  const paid = world.token(TO, 'USDT')
  const recipient = world.stranger() as Hex
  const refundTo = world.stranger()
  await recode(paid, BlockingToken.deployedBytecode)
  const block = encodeFunctionData({ abi: BlockingToken.abi, functionName: 'setBlocked', args: [recipient, true] })
  await send(TO, paid.contract as Hex, block)
  const swap = await swapFor({
    source_token: 'USDT',
    destination_token: 'USDT',
    destination_address: recipient,
    refund_address: refundTo,
  })
  await world.deposit(usdt, actionOf(swap))
  const held = await world.client.reaches(swap.swap.id, 'ls_transfer_pending', 'refund_pending', 'refunded')
  expect(held.swap.transactions.some(({ type, status }) => type === 'output' && status === 'completed')).toBe(false)
  const ended = await world.client.reaches(swap.swap.id, 'refunded')
  await recode(paid, TestToken.deployedBytecode)
  expect(ended.swap.fail_reason).toBe('payout_rejected')
  const refund = ended.swap.transactions.find(({ type }) => type === 'refund')
  expect(await world.balance(usdt, refundTo)).toBe(unitsOf(refund?.amount ?? 0, usdt))
  expect(await world.balance(paid, recipient)).toBe(0n)
})

/** An EIP-1193 wallet: its approvals before a token goes through the Depository. */
import type { WalletAction } from '@causeway/core/wallet'
import { beforeEach, expect, it } from 'vitest'
import { walletOf } from './provider.ts'

const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SPENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const word = (value: bigint) => value.toString(16).padStart(64, '0')

const native = { symbol: 'ETH', contract: null, decimals: 18 }
const network = {
  name: 'ETHEREUM_SEPOLIA',
  display_name: 'Ethereum Sepolia',
  chain_id: '11155111',
  nodes: [],
  token: native,
  transaction_explorer_template: '',
}
const action = (args: string[], token: WalletAction['token'] = { symbol: 'USDC', contract: TOKEN, decimals: 6 }) => ({
  type: 'transfer',
  to_address: SPENDER,
  amount_in_base_units: '0',
  call_data: '0xdeadbeef',
  network,
  token,
  gas_limit: '120000',
  encoded_args: args,
})
const ARGS = ['0x01', TOKEN, OWNER, '0x1c9c380']

let asked: { method: string; params: unknown[] }[]
let allowance: bigint
let receipts: ({ status: string } | null)[]
beforeEach(() => {
  asked = []
  allowance = 0n
  receipts = [{ status: '0x1' }]
})

const answers: Record<string, () => unknown> = {
  eth_requestAccounts: () => [OWNER],
  eth_accounts: () => [OWNER],
  eth_chainId: () => '0xaa36a7',
  eth_call: () => `0x${word(allowance)}`,
  eth_sendTransaction: () => '0xhash',
  eth_getTransactionReceipt: () => receipts.shift() ?? null,
}
const wallet = walletOf('scripted', 'Scripted', null, {
  request: async ({ method, params = [] }) => {
    asked.push({ method, params })
    return answers[method]?.()
  },
})
const account = { address: OWNER, wallet: 'scripted' }
const approving = (units: bigint) => ({ to: TOKEN, data: `0x095ea7b3${word(BigInt(SPENDER))}${word(units)}` })

it('approves exactly the amount, never more', async () => {
  const steps = await wallet.steps(action(ARGS), account)
  expect(steps.map(({ kind }) => kind)).toEqual(['approve', 'deposit'])
  expect(steps[0]?.request).toMatchObject(approving(30_000_000n))
  expect(asked.at(-1)).toEqual({
    method: 'eth_call',
    params: [{ to: TOKEN, data: `0xdd62ed3e${word(BigInt(OWNER))}${word(BigInt(SPENDER))}` }, 'latest'],
  })
})

it('resets an older allowance first, and asks for none if it suffices', async () => {
  allowance = 5n
  const steps = await wallet.steps(action(ARGS), account)
  expect(steps.slice(0, 2).map(({ request }) => request)).toMatchObject([approving(0n), approving(30_000_000n)])
  allowance = 30_000_000n
  expect((await wallet.steps(action(ARGS), account)).map(({ kind }) => kind)).toEqual(['deposit'])
})

it('asks no approval for the native coin, a plain transfer, or another token than shown', async () => {
  expect(await wallet.steps(action([], native), account)).toHaveLength(1)
  expect(await wallet.steps(action(['0x01', OWNER], native), account)).toHaveLength(1)
  const other = action(['0x01', SPENDER, OWNER, '0x1c9c380'])
  await expect(wallet.steps(other, account)).rejects.toMatchObject({ code: 'unsupported' })
})

it('continues only once an approval is mined, and not if it reverted', async () => {
  const [approve] = await wallet.steps(action(ARGS), account)
  if (!approve) throw new Error('no step')
  receipts = [null, { status: '0x1' }]
  await wallet.send(approve, account)
  expect(receipts).toEqual([])
  receipts = [{ status: '0x0' }]
  await expect(wallet.send(approve, account)).rejects.toMatchObject({ code: 'failed' })
})

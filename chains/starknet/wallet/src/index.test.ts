/** A scripted wallet: a deposit is sent as both of its calls, by the chosen account, or not at all. */
import { type Wallet, type WalletAction, WalletProblem } from '@causeway/core/wallet'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { family } from './index.ts'

const OWNER = `0x0${'1'.repeat(63)}`
const CALLS = [
  { contractAddress: '0x2', entrypoint: 'transfer', calldata: ['0x3', '0x4', '0x0'] },
  { contractAddress: '0x5', entrypoint: 'watch', calldata: ['0x7'] },
]

const network = {
  ...{ name: 'STARKNET_SEPOLIA', display_name: 'Starknet', chain_id: '0x534e', nodes: [] },
  token: { symbol: 'STRK', contract: null, decimals: 18 },
  transaction_explorer_template: '',
}
const action = (callData: string | null): WalletAction => ({
  ...{ type: 'transfer', to_address: '0x3', amount_in_base_units: '4', call_data: callData },
  ...{ network, token: network.token, gas_limit: null, encoded_args: [] },
})

let asked: { type: string; params?: unknown }[]
let answers: Record<string, unknown>
beforeEach(() => {
  asked = []
  answers = {
    wallet_requestAccounts: [OWNER.replace('0x0', '0x')],
    wallet_addInvokeTransaction: { transaction_hash: '0x9' },
  }
  const request = async (one: { type: string; params?: unknown }) => {
    asked.push(one)
    const answer = answers[one.type]
    if (answer instanceof Error) throw answer
    return answer
  }
  Object.assign(globalThis, { starknet_scripted: { id: 'scripted', name: 'Scripted', request } })
})
afterEach(() => void Reflect.deleteProperty(globalThis, 'starknet_scripted'))

async function connected() {
  const found: Wallet[] = []
  family.discover?.((wallets) => found.push(...wallets))
  const [wallet] = found
  if (!wallet) throw new Error('nobody is there')
  const [account] = await wallet.connect(new AbortController().signal, network)
  if (!account) throw new Error('no account')
  return { wallet, account }
}

it('sends both calls unchanged, and returns the hash', async () => {
  const { wallet, account } = await connected()
  expect(account.address).toBe(OWNER)
  const [step] = await wallet.steps(action(JSON.stringify(CALLS)), account)
  if (!step) throw new Error('no step')
  expect(await wallet.send(step, account)).toEqual({ hash: '0x9' })
  expect(asked.at(-1)).toEqual({
    type: 'wallet_addInvokeTransaction',
    params: {
      calls: [
        { contract_address: '0x2', entry_point: 'transfer', calldata: ['0x3', '0x4', '0x0'] },
        { contract_address: '0x5', entry_point: 'watch', calldata: ['0x7'] },
      ],
    },
  })
})

it('sends nothing without the call that names the swap, from another account, or on rejection', async () => {
  const { wallet, account } = await connected()
  for (const data of [null, JSON.stringify(CALLS.slice(0, 1))])
    await expect(wallet.steps(action(data), account)).rejects.toEqual(new WalletProblem('unsupported'))
  const [step] = await wallet.steps(action(JSON.stringify(CALLS)), account)
  if (!step) throw new Error('no step')
  answers.wallet_addInvokeTransaction = new Error('User refused operation')
  await expect(wallet.send(step, account)).rejects.toMatchObject({ code: 'rejected' })
  answers.wallet_requestAccounts = ['0x777']
  await expect(wallet.send(step, account)).rejects.toMatchObject({ code: 'wrong_account' })
})

it('sends nothing on another chain, whose id may be a number or letters', async () => {
  const { wallet, account } = await connected()
  const [step] = await wallet.steps(action(JSON.stringify(CALLS)), account)
  if (!step) throw new Error('no step')
  for (const other of ['0x534e5f4d41494e', 'SN_MAIN']) {
    answers.wallet_requestChainId = other
    await expect(wallet.send(step, account)).rejects.toMatchObject({ code: 'wrong_network' })
  }
  expect(asked.map(({ type }) => type)).not.toContain('wallet_addInvokeTransaction')
  answers.wallet_requestChainId = 'SN'
  expect(await wallet.send(step, account)).toEqual({ hash: '0x9' })
})

it('signs a text line by line, for the wallet’s chain', async () => {
  const { wallet, account } = await connected()
  answers.wallet_requestChainId = '0x534e5f5345504f4c4941'
  answers.wallet_signTypedData = ['0x1', '0x2']
  expect(await wallet.signText?.('Send it back.\n\nSwap: 5f2b', account)).toBe('["0x1","0x2"]')
  expect(asked.at(-1)).toMatchObject({
    type: 'wallet_signTypedData',
    params: {
      domain: { name: 'Causeway', version: '1', chainId: '0x534e5f5345504f4c4941', revision: '1' },
      message: { lines: ['Send it back.', 'Swap: 5f2b'] },
    },
  })
})

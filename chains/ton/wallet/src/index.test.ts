/** A scripted wallet behind the TON Connect bridge: it gets the network, and is not called on another one. */
import type { Wallet, WalletAction } from '@causeway/core/wallet'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { family } from './index.ts'

const OWNER = `0:${'1'.repeat(64)}`
const network = {
  ...{ name: 'TON_TESTNET', display_name: 'TON', chain_id: '-3', nodes: [] },
  token: { symbol: 'TON', contract: null, decimals: 9 },
  transaction_explorer_template: '',
}
const action: WalletAction = {
  ...{ type: 'transfer', to_address: OWNER, amount_in_base_units: '5000000', call_data: '{"comment":"42"}' },
  ...{ network, token: network.token, gas_limit: null, encoded_args: [] },
}

let asked: { method: string; params: string[] }[]
let on: string
let refusal: { code: number } | null
beforeEach(() => {
  asked = []
  on = '-3'
  refusal = null
  const connect = async () => ({
    event: 'connect',
    payload: { items: [{ name: 'ton_addr', address: OWNER, network: on }] },
  })
  const send = async (call: { method: string; params: string[] }) => {
    asked.push(call)
    return refusal ? { error: refusal } : {}
  }
  vi.stubGlobal('location', { href: 'http://127.0.0.1/' })
  vi.stubGlobal('scripted', { tonconnect: { walletInfo: { name: 'Scripted' }, connect, send } })
})
afterEach(() => void vi.unstubAllGlobals())

async function deposit() {
  const found: Wallet[] = []
  family.discover?.((wallets) => found.push(...wallets))
  const [wallet] = found
  if (!wallet) throw new Error('nobody is there')
  const [account] = await wallet.connect(new AbortController().signal, network)
  if (!account) throw new Error('no account')
  expect(await wallet.network()).toBe(on)
  const [step] = await wallet.steps(action, account)
  if (!step) throw new Error('no step')
  return wallet.send(step, account)
}

it('gets the network with the message, so that it rejects after a switch', async () => {
  expect(await deposit()).toEqual({ hash: null })
  const [call] = asked
  expect(call?.method).toBe('sendTransaction')
  expect(JSON.parse(call?.params[0] ?? '')).toMatchObject({
    network: '-3',
    from: OWNER,
    messages: [{ amount: '5000000' }],
  })
})

it('is not called on another network', async () => {
  on = '-239'
  await expect(deposit()).rejects.toMatchObject({ code: 'wrong_network' })
  expect(asked).toEqual([])
})

it('that declines has not sent; after another error it may have sent', async () => {
  refusal = { code: 300 }
  await expect(deposit()).rejects.toMatchObject({ code: 'rejected' })
  refusal = { code: 0 }
  await expect(deposit()).rejects.toMatchObject({ code: 'failed' })
})

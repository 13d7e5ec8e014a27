/** A scripted wallet: the signed transaction carries the memo, and nothing is sent without it. */
import { type Wallet, type WalletAction, WalletProblem } from '@causeway/core/wallet'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { family } from './index.ts'

const OWNER = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const TO = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'

const network = {
  ...{ name: 'TRON_TESTNET', display_name: 'Tron', chain_id: '3448148188', nodes: [] },
  token: { symbol: 'TRX', contract: null, decimals: 6 },
  transaction_explorer_template: '',
}
const action = (callData: string | null, contract: string | null = null): WalletAction => ({
  ...{ type: 'transfer', to_address: TO, amount_in_base_units: '5000000', call_data: callData },
  ...{ network, token: { ...network.token, contract }, gas_limit: null, encoded_args: [] },
})

let signed: unknown[]
let refusal: Error | null
let chosen: string
/** The hash of the genesis block of the wallet's node. */
let first: string
let asked: unknown[]
beforeEach(() => {
  signed = []
  refusal = null
  chosen = OWNER
  first = '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc'
  asked = []
  const tronWeb = {
    get defaultAddress() {
      return { base58: chosen }
    },
    transactionBuilder: {
      sendTrx: async (to: string, sun: number, from: string) => ({ to, sun, from }),
      triggerSmartContract: async (contract: string, method: string, _options: unknown, parameters: unknown) => ({
        transaction: { contract, method, parameters },
      }),
      addUpdateData: async (transaction: object, data: string) => ({ ...transaction, data }),
    },
    trx: {
      async sign(transaction: unknown) {
        if (refusal) throw refusal
        signed.push(transaction)
        return transaction
      },
      sendRawTransaction: async () => ({ result: true, txid: 'ab' }),
      getBlockByNumber: async () => ({ blockID: first }),
    },
  }
  const page = new EventTarget()
  const events = ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const
  for (const name of events) vi.stubGlobal(name, page[name].bind(page))
  const request = async (call: unknown) => {
    asked.push(call)
    return [chosen]
  }
  vi.stubGlobal('tron', { request, tronWeb })
})
afterEach(() => void vi.unstubAllGlobals())

async function connected() {
  const found: Wallet[] = []
  family.discover?.((wallets) => found.push(...wallets))?.()
  const [wallet] = found
  if (!wallet) throw new Error('nobody is there')
  const [account] = await wallet.connect(new AbortController().signal, network)
  if (!account) throw new Error('no account')
  const send = async (of: WalletAction) => {
    const [step] = await wallet.steps(of, account)
    if (!step) throw new Error('no step')
    return wallet.send(step, account)
  }
  return { wallet, account, send }
}

it('is found at its global name, and under its own name if it announces itself', () => {
  const names: string[][] = []
  const stop = family.discover?.((wallets) => names.push(wallets.map(({ name }) => name)))
  const detail = { info: { rdns: 'org.example', name: 'Example' }, provider: { request: async () => [] } }
  dispatchEvent(new CustomEvent('TIP6963:announceProvider', { detail }))
  stop?.()
  expect(names).toEqual([['TronLink'], ['TronLink', 'Example']])
})

it('signs coins and tokens with the memo, and returns the hash', async () => {
  const { account, send } = await connected()
  expect(account.address).toBe(OWNER)
  expect(await send(action('42'))).toEqual({ hash: 'ab' })
  await send(action('43', OWNER))
  const parameters = [
    { type: 'address', value: TO },
    { type: 'uint256', value: '5000000' },
  ]
  expect(signed).toEqual([
    { to: TO, sun: 5_000_000, from: OWNER, data: '42' },
    { contract: OWNER, method: 'transfer(address,uint256)', parameters, data: '43' },
  ])
})

it('sends nothing without a memo, from another account, or on rejection', async () => {
  const { send } = await connected()
  await expect(send(action(null))).rejects.toEqual(new WalletProblem('unsupported'))
  refusal = new Error('Confirmation declined by user')
  await expect(send(action('42'))).rejects.toMatchObject({ code: 'rejected' })
  refusal = null
  chosen = TO
  await expect(send(action('42'))).rejects.toMatchObject({ code: 'wrong_account' })
  expect(signed).toEqual([])
})

it('sends nothing on another chain, which it reads from its own node, and can switch', async () => {
  const { wallet, send } = await connected()
  first = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'
  await expect(send(action('42'))).rejects.toMatchObject({ code: 'wrong_network' })
  expect(signed).toEqual([])
  expect(await wallet.network()).toBe('728126428')
  await wallet.switchTo?.(network)
  expect(asked.at(-1)).toEqual({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0xcd8690dc' }] })
})

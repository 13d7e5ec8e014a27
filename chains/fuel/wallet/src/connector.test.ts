/** A scripted wallet with the Fuel connector interface: found by its event, it signs texts and sends script requests. */
import type { Account, Wallet, WalletAction, WalletProblem } from '@causeway/core/wallet'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { family } from './index.ts'

const OWN = `0x${'aB'.repeat(32)}`
const NETWORK = {
  ...{ name: 'FUEL_TESTNET', display_name: 'Fuel', chain_id: '0', nodes: ['https://fuel.example/v1/graphql'] },
  ...{ transaction_explorer_template: '', token: { symbol: 'ETH', contract: null, decimals: 9 } },
}
const SCRIPT = { type: 0, script: '0x01', outputs: [] }
const ACTION: WalletAction = {
  ...{ type: 'transfer', to_address: OWN, amount_in_base_units: '5', gas_limit: null, encoded_args: [] },
  ...{ call_data: JSON.stringify({ script: SCRIPT, quantities: [] }), network: NETWORK, token: NETWORK.token },
}
const never = new AbortController().signal
const codeOf = (work: Promise<unknown>) => work.catch(({ code }: WalletProblem) => code)

let sent: unknown[]
let current: string | null
let chainId: number
let refusal: Error | null
let listeners: ((account: string | null) => void)[]
const connector = () => ({
  name: 'Fuel Wallet',
  connect: async () => refusal === null,
  disconnect: async () => true,
  currentAccount: async () => current,
  currentNetwork: async () => ({ chainId }),
  async selectNetwork(network: { chainId?: number }) {
    chainId = network.chainId ?? -1
    return true
  },
  async sendTransaction(address: string, request: unknown) {
    if (refusal) throw refusal
    sent.push([address, request])
    return `0x${'12'.repeat(32)}`
  },
  signMessage: async (_address: string, text: string) => `signed ${text}`,
  on: (_event: string, listener: (account: string | null) => void) => listeners.push(listener),
  off: (_event: string, listener: (account: string | null) => void) => {
    listeners = listeners.filter((other) => other !== listener)
  },
})
beforeEach(() => {
  sent = []
  current = OWN
  chainId = 0
  refusal = null
  listeners = []
  const page = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
    vi.stubGlobal(name, page[name].bind(page))
})
afterEach(() => void vi.unstubAllGlobals())

async function connected(): Promise<[Wallet, Account]> {
  let wallets: Wallet[] = []
  family.discover?.((now) => {
    wallets = now
  })
  dispatchEvent(new CustomEvent('FuelConnector', { detail: connector() }))
  const [wallet] = wallets
  const [account] = (await wallet?.connect(never, NETWORK)) ?? []
  if (!wallet || !account) throw new Error('no account')
  return [wallet, account]
}

it('is found by its event or its global name, once', () => {
  const found: string[][] = []
  vi.stubGlobal('fuel', connector())
  const stop = family.discover?.((wallets) => found.push(wallets.map(({ name }) => name)))
  dispatchEvent(new CustomEvent('FuelConnector', { detail: connector() }))
  dispatchEvent(new CustomEvent('FuelConnector', { detail: { name: 'not a connector' } }))
  stop?.()
  expect(found).toEqual([['Fuel Wallet']])
})

it('sends the script of the action, and follows the account', async () => {
  const [wallet, account] = await connected()
  const [step] = await wallet.steps(ACTION, account)
  if (!step) throw new Error('no step')
  expect(await wallet.send(step, account)).toEqual({ hash: `0x${'12'.repeat(32)}` })
  expect(sent).toEqual([[OWN, SCRIPT]])
  expect(await wallet.signText?.('Send it back.', account)).toBe('signed Send it back.')
  const told: string[][] = []
  const stop = wallet.onChange((accounts) => told.push(accounts.map(({ address }) => address)))
  for (const listener of listeners) listener(null)
  expect(told).toEqual([[]])
  stop()
  expect(listeners).toEqual([])
})

it('sends nothing on another network, by another account, or without a script', async () => {
  const [wallet, account] = await connected()
  chainId = 9889
  expect(await codeOf(wallet.steps(ACTION, account))).toBe('wrong_network')
  await wallet.switchTo?.(NETWORK)
  expect(await wallet.network()).toBe('0')
  expect(await codeOf(wallet.steps({ ...ACTION, call_data: null }, account))).toBe('unsupported')
  current = `0x${'cd'.repeat(32)}`
  expect(await codeOf(wallet.steps(ACTION, account))).toBe('wrong_account')
  expect(sent).toEqual([])
})

it.each([
  ['User rejected the transaction', 'rejected'],
  ['not enough coins to fit the target', 'funds'],
  ['the window was closed', 'no_answer'],
])('a wallet that fails with "%s" is %s', async (message, code) => {
  const [wallet, account] = await connected()
  const [step] = await wallet.steps(ACTION, account)
  refusal = new Error(message)
  expect(await codeOf(wallet.send(step ?? { kind: 'deposit', request: null }, account))).toBe(code)
})

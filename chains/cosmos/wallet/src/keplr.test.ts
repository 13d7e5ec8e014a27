/** A scripted wallet with the Keplr API: an address per chain, signed texts as proof, and deposits that it broadcasts. */
import type { Wallet, WalletAction, WalletProblem } from '@causeway/core/wallet'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { authBytes, bodyBytes, readTransaction, sendMessage } from '../../src/transaction.ts'
import { family } from './index.ts'

const ADDRESSES: Record<string, string> = {
  'osmosis-1': 'osmo1cyyzpxplxdzkeea7kwsydadg87357qnahakaks',
  'cosmoshub-4': 'cosmos1cyyzpxplxdzkeea7kwsydadg87357qnalx9dqz',
}
const networkOf = (chainId: string) => ({
  ...{ name: chainId, display_name: chainId, chain_id: chainId, nodes: [], transaction_explorer_template: '' },
  token: { symbol: 'X', contract: null, decimals: 6 },
})
const PUBLIC_KEY = Uint8Array.from({ length: 33 }, (_, at) => at + 2)
interface Signing {
  bodyBytes: Uint8Array
  authInfoBytes: Uint8Array
  chainId: string
  accountNumber: bigint
}
const never = new AbortController().signal

let signed: unknown[]
let addresses: Record<string, string>
let refusal: Error | null
let broadcast: Uint8Array[]
let broadcastError: Error | null
/** Parts of the document that the person changed in the wallet. */
let changed: Partial<Signing>
beforeEach(() => {
  signed = []
  addresses = { ...ADDRESSES }
  refusal = null
  broadcast = []
  broadcastError = null
  changed = {}
  const keplr = {
    async enable(chainId: string) {
      if (refusal) throw refusal
      if (!addresses[chainId]) throw new Error(`There is no chain info for ${chainId}`)
    },
    getKey: async (chainId: string) => ({ bech32Address: addresses[chainId] ?? '', pubKey: PUBLIC_KEY }),
    async signDirect(_chainId: string, _signer: string, document: Signing) {
      if (refusal) throw refusal
      signed.push(document)
      return { signed: { ...document, ...changed }, signature: { signature: btoa('\u0001\u0002') } }
    },
    async sendTx(_chainId: string, transaction: Uint8Array) {
      if (broadcastError) throw broadcastError
      broadcast.push(transaction)
      return Uint8Array.of(0xab, 0x01)
    },
    async signArbitrary(...given: string[]) {
      if (refusal) throw refusal
      signed.push(given)
      return { signature: 'c2lnbmVk' }
    },
  }
  const page = new EventTarget()
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const)
    vi.stubGlobal(name, page[name].bind(page))
  vi.stubGlobal('keplr', keplr)
})
afterEach(() => void vi.unstubAllGlobals())

function found(): Wallet[] {
  const wallets: Wallet[] = []
  family.discover?.((now) => wallets.push(...now))
  return wallets
}
function only(): Wallet {
  const [wallet] = found()
  if (!wallet) throw new Error('nobody is there')
  return wallet
}

it('is found at its global name, and not found without it', () => {
  expect(found().map(({ name, sends }) => ({ name, sends }))).toEqual([{ name: 'Keplr', sends: undefined }])
  vi.stubGlobal('keplr', undefined)
  expect(found()).toEqual([])
})

it('shows the address of the connected network, and follows an account change', async () => {
  const wallet = only()
  for (const [chainId, address] of Object.entries(ADDRESSES)) {
    expect(await wallet.connect(never, networkOf(chainId))).toEqual([{ address, wallet: 'keplr' }])
    expect(await wallet.network()).toBe(chainId)
  }
  const told: unknown[] = []
  const stop = wallet.onChange((accounts) => told.push(accounts.map(({ address }) => address)))
  addresses['cosmoshub-4'] = 'cosmos1other'
  dispatchEvent(new Event('keplr_keystorechange'))
  await vi.waitFor(() => expect(told).toEqual([['cosmos1other']]))
  stop()
})

it('signs a text only with the connected account', async () => {
  const wallet = only()
  const [account] = await wallet.connect(never, networkOf('osmosis-1'))
  if (!account) throw new Error('no account')
  expect(await wallet.signText?.('Send it back.', account)).toBe('c2lnbmVk')
  expect(signed).toEqual([['osmosis-1', account.address, 'Send it back.']])
  addresses['osmosis-1'] = 'osmo1other'
  await expect(wallet.signText?.('Send it back.', account)).rejects.toMatchObject({ code: 'wrong_account' })
  expect(signed).toHaveLength(1)
})

it('reports a rejection or an unknown chain', async () => {
  const wallet = only()
  const codeOf = (work: Promise<unknown>) => work.catch(({ code }: WalletProblem) => code)
  expect(await codeOf(wallet.connect(never, networkOf('elsewhere-1')))).toBe('unsupported')
  refusal = new Error('Request rejected')
  expect(await codeOf(wallet.connect(never, networkOf('osmosis-1')))).toBe('rejected')
})

const ACTION: WalletAction = {
  ...{ type: 'transfer', to_address: ADDRESSES['cosmoshub-4'] ?? '', amount_in_base_units: '2500000', gas_limit: null },
  ...{ call_data: '7000000042', network: networkOf('osmosis-1'), token: networkOf('osmosis-1').token },
  encoded_args: ['uosmo', '12', '300', '160000', '4000', 'uosmo', '/cosmos.crypto.secp256k1.PubKey'],
}
const codeOf = (work: Promise<unknown>) => work.catch(({ code }: WalletProblem) => code)

async function sent(): Promise<unknown> {
  const wallet = only()
  const [account] = await wallet.connect(never, networkOf('osmosis-1'))
  if (!account) throw new Error('no account')
  const [step] = await wallet.steps(ACTION, account)
  if (!step) throw new Error('no step')
  return wallet.send(step, account)
}

it('broadcasts a deposit whose bytes are those of the chain’s own encoder', async () => {
  expect(await sent()).toEqual({ hash: 'AB01' })
  const [raw = new Uint8Array()] = broadcast
  const read = readTransaction(raw, { prefix: 'osmo', key: 'secp256k1' })
  const from = ADDRESSES['osmosis-1'] ?? ''
  const coin = { denom: 'uosmo', units: 2_500_000n }
  const unsigned = {
    ...{ messages: [sendMessage(from, ACTION.to_address, coin)], memo: '7000000042', timeoutHeight: 0n, payer: null },
    ...{ signers: [{ publicKey: PUBLIC_KEY, sequence: 300n }], fee: { denom: 'uosmo', units: 4000n }, gas: 160_000n },
  }
  expect(Buffer.from(read?.signed.body ?? [])).toEqual(Buffer.from(bodyBytes(unsigned)))
  expect(Buffer.from(read?.signed.auth ?? [])).toEqual(
    Buffer.from(authBytes(unsigned, '/cosmos.crypto.secp256k1.PubKey')),
  )
  expect(read?.signed.signatures.map((bytes) => [...bytes])).toEqual([[1, 2]])
  expect(signed).toMatchObject([{ chainId: 'osmosis-1', accountNumber: 12n }])
})

it('broadcasts nothing with another memo, by another account, or without the account’s number', async () => {
  changed = { bodyBytes: Uint8Array.of(1) }
  expect(await codeOf(sent())).toBe('unsupported')
  changed = {}
  refusal = new Error('Request rejected')
  expect(await codeOf(sent())).toBe('rejected')
  refusal = null
  const wallet = only()
  const [account] = await wallet.connect(never, networkOf('osmosis-1'))
  if (!account) throw new Error('no account')
  expect(await codeOf(wallet.steps({ ...ACTION, encoded_args: [] }, account))).toBe('unsupported')
  const [step] = await wallet.steps(ACTION, account)
  addresses['osmosis-1'] = 'osmo1other'
  expect(await codeOf(wallet.send(step ?? { kind: 'deposit', request: null }, account))).toBe('wrong_account')
  expect(broadcast).toEqual([])
})

it.each([
  ['insufficient funds: 5uosmo is smaller than 2500000uosmo', 'funds'],
  ['insufficient fees; got: 1uosmo required: 400uosmo', 'gas'],
  ['Network Error', 'no_answer'],
])('a broadcast that fails with "%s" is %s', async (message, code) => {
  broadcastError = new Error(message)
  expect(await codeOf(sent())).toBe(code)
})

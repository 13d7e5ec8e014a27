/** A scripted wallet with the Keplr API: an address per chain, signed texts as proof, and no sending. */
import type { Wallet, WalletAction, WalletProblem } from '@causeway/core/wallet'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { family } from './index.ts'

const ADDRESSES: Record<string, string> = {
  'osmosis-1': 'osmo1cyyzpxplxdzkeea7kwsydadg87357qnahakaks',
  'cosmoshub-4': 'cosmos1cyyzpxplxdzkeea7kwsydadg87357qnalx9dqz',
}
const networkOf = (chainId: string) => ({
  ...{ name: chainId, display_name: chainId, chain_id: chainId, nodes: [], transaction_explorer_template: '' },
  token: { symbol: 'X', contract: null, decimals: 6 },
})
const never = new AbortController().signal

let signed: unknown[]
let addresses: Record<string, string>
let refusal: Error | null
beforeEach(() => {
  signed = []
  addresses = { ...ADDRESSES }
  refusal = null
  const keplr = {
    async enable(chainId: string) {
      if (refusal) throw refusal
      if (!addresses[chainId]) throw new Error(`There is no chain info for ${chainId}`)
    },
    getKey: async (chainId: string) => ({ bech32Address: addresses[chainId] ?? '' }),
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
  expect(found().map(({ name, sends }) => ({ name, sends }))).toEqual([{ name: 'Keplr', sends: false }])
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

it('reports a rejection or an unknown chain, and never sends anything', async () => {
  const wallet = only()
  const codeOf = (work: Promise<unknown>) => work.catch(({ code }: WalletProblem) => code)
  expect(await codeOf(wallet.connect(never, networkOf('elsewhere-1')))).toBe('unsupported')
  refusal = new Error('Request rejected')
  expect(await codeOf(wallet.connect(never, networkOf('osmosis-1')))).toBe('rejected')
  const action = {} as WalletAction
  expect(await codeOf(wallet.steps(action, { address: 'osmo1', wallet: 'keplr' }))).toBe('unsupported')
})

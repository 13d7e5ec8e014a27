/**
 * A proxy between a browser and the service: it answers a page with another person's swap, whose signature is good, or
 * with a key of its own, under another environment's name. The page shows neither address.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import { CreatedSwap, quoteStatement, type SwapDetails, WellKnown } from '@causeway/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'

const ORIGIN = 'https://swap.example'
const WELL_KNOWN = '/.well-known/causeway.json'

let api: TestApi
let stored: Map<string, string>
/** The answers of the proxy in place of those of the service, by path. */
let forged: Map<string, unknown>
/** Answers that the network delays. */
let held: Map<string, Promise<void>>
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())
beforeEach(() => {
  stored = new Map()
  forged = new Map()
  held = new Map()
  vi.stubGlobal('location', { origin: ORIGIN })
  vi.stubGlobal('document', { documentElement: { lang: 'en' }, addEventListener() {}, removeEventListener() {} })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('removeEventListener', () => undefined)
  vi.stubGlobal(
    'EventSource',
    class {
      addEventListener() {}
      close() {}
    },
  )
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  })
  vi.stubGlobal('fetch', async (asked: string) => {
    const { pathname } = new URL(asked)
    await held.get(pathname)
    const own = forged.get(pathname) ?? (await api.server.inject(pathname)).json()
    return new Response(JSON.stringify(own), { headers: { 'content-type': 'application/json' } })
  })
})
afterEach(() => vi.unstubAllGlobals())

async function create(recipient: string): Promise<SwapDetails> {
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const body = { ...route, destination_address: accountFrom(recipient).address, amount: 100, use_deposit_address: true }
  return api.ask(CreatedSwap, post('/api/v2/swaps', body))
}

/** The deposit address that a newly opened page shows for this swap, or why it shows none. */
async function shownFor(id: string): Promise<string> {
  vi.resetModules()
  const { open, check, verdict } = await import('../../../web/src/pages/status/state.ts')
  const close = open(id)
  await check(id)
  close()
  const judged = verdict.value
  return judged?.state === 'verified' ? (judged.actions[0]?.to_address ?? 'none') : (judged?.state ?? 'nothing')
}

test('the signed swap of another person is not shown for the one in the link', async () => {
  const [asked, thiefs] = [await create('friend'), await create('thief')]
  expect(await shownFor(asked.swap.id)).toBe(asked.deposit_actions[0]?.to_address)
  forged.set(`/api/v2/swaps/${asked.swap.id}`, { data: thiefs })
  expect(await shownFor(asked.swap.id)).toBe('refused')
})

test('a late answer for the swap that was shown before is not shown for the present one', async () => {
  const [before, present] = [await create('stranger'), await create('friend')]
  vi.resetModules()
  const { open, check, verdict } = await import('../../../web/src/pages/status/state.ts')
  const released = Promise.withResolvers<void>()
  held.set(`/api/v2/swaps/${before.swap.id}`, released.promise)
  const close = open(before.swap.id)
  const late = check(before.swap.id)
  close()
  const closeAgain = open(present.swap.id)
  await check(present.swap.id)
  released.resolve()
  await late
  closeAgain()
  const judged = verdict.value
  expect(judged?.state === 'verified' && judged.actions[0]?.to_address).toBe(present.deposit_actions[0]?.to_address)
})

test.each(['mainnet', 'testnet', 'another', '__proto__'])(
  'a key that this browser has not seen is not taken over as that of %s',
  async (environment) => {
    const asked = await create('friend')
    expect(await shownFor(asked.swap.id)).toBe(asked.deposit_actions[0]?.to_address)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const told = WellKnown.parse((await api.server.inject(WELL_KNOWN)).json())
    const [key] = told.quote_signing_keys
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
    const keys = [{ ...key, public_key: raw }]
    forged.set(WELL_KNOWN, { ...told, environment, quote_signing_keys: keys })
    const mine = structuredClone(asked)
    Object.assign(mine.deposit_actions[0] ?? {}, { to_address: 'thief' })
    const { signature } = mine
    if (!signature) return expect.fail('no signature')
    signature.value = sign(null, Buffer.from(quoteStatement(mine, signature.signed_at)), privateKey).toString('base64')
    forged.set(`/api/v2/swaps/${asked.swap.id}`, { data: mine })
    expect(await shownFor(asked.swap.id)).toBe('new_key')
  },
)

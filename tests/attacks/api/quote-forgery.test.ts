/**
 * Quote forgery: a page or a proxy changes one field of a signed answer, moves a signature to another swap, or signs with a
 * key of its own. Whatever decides where money goes and how much of it is signed.
 */
import { generateKeyPairSync, sign } from 'node:crypto'
import { CreatedSwap, quoteStatement, VerificationError, verifyQuote, WellKnown } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
let keys: WellKnown
beforeAll(async () => {
  api = await startApi()
  keys = WellKnown.parse((await api.server.inject('/.well-known/causeway.json')).json())
})
afterAll(() => api.stop())

async function create(): Promise<CreatedSwap> {
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const destination_address = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const body = { ...route, destination_address, amount: 100, use_deposit_address: true }
  return api.ask(CreatedSwap, post('/api/v2/swaps', body))
}

type Path = (string | number)[]

/** The paths of all leaves that are not null. */
function leaves(value: unknown, path: Path = []): Path[] {
  if (value === null || value === undefined) return []
  if (typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([name, inner]) =>
    leaves(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

function forged(answer: CreatedSwap, path: Path): CreatedSwap {
  const copy = structuredClone(answer)
  let at: Record<string | number, unknown> = copy as never
  for (const name of path.slice(0, -1)) at = at[name] as typeof at
  const last = path.at(-1) ?? ''
  const value = at[last]
  at[last] = typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : `${String(value)}1`
  return copy
}

/** Whatever decides where money goes, and how much of it. Other fields are for display, or repeat these. */
const DECISIVE =
  /^swap\.(id|destination_address|refund_address)$|^quote\.(receive_amount|min_receive_amount|expires_at)$|^quote\.(source|destination)_(network\.name|token\.(contract|decimals))$|^deposit_actions\.\d+\.(type|to_address|amount_in_base_units|call_data|order|network\.(name|chain_id|type)|token\.(contract|decimals))$/

test('no field that decides about money can be changed', async () => {
  const created = await create()
  const paths = leaves({ quote: created.quote, swap: created.swap, deposit_actions: created.deposit_actions })
  const decisive = paths.filter((path) => DECISIVE.test(path.join('.')))
  expect(decisive.length).toBeGreaterThan(12)
  const accepted: string[] = []
  for (const path of decisive) {
    const isValid = await verifyQuote(forged(created, path), keys).then(
      () => true,
      () => false,
    )
    if (isValid) accepted.push(path.join('.'))
  }
  expect(accepted).toEqual([])
})

test('a signature is valid for its own swap only', async () => {
  const [one, other] = [await create(), await create()]
  await verifyQuote(one, keys)
  await expect(verifyQuote({ ...one, signature: other.signature }, keys)).rejects.toThrow(VerificationError)
  await expect(verifyQuote({ ...one, deposit_actions: other.deposit_actions }, keys)).rejects.toThrow(VerificationError)
  await expect(verifyQuote({ ...one, swap: other.swap }, keys)).rejects.toThrow(VerificationError)
})

test("a thief's own signed swap is not accepted for the one that was asked for", async () => {
  const [asked, thiefs] = [await create(), await create()]
  const wanted = { id: asked.swap.id, destination_address: asked.swap.destination_address }
  await verifyQuote(asked, keys, wanted)
  await expect(verifyQuote(thiefs, keys, wanted)).rejects.toThrow(VerificationError)
})

test('a key of the attacker does not count, even under our key id', async () => {
  const created = await create()
  const { privateKey } = generateKeyPairSync('ed25519')
  const mine = structuredClone(created)
  Object.assign(mine.deposit_actions[0] ?? {}, { to_address: 'thief' })
  const value = sign(null, Buffer.from(quoteStatement(mine, mine.signature.signed_at)), privateKey).toString('base64')
  await expect(verifyQuote({ ...mine, signature: { ...mine.signature, value } }, keys)).rejects.toThrow(
    VerificationError,
  )
  for (const broken of ['', 'AAAA', 'A'.repeat(88), created.signature.value.slice(0, -4)])
    await expect(
      verifyQuote({ ...created, signature: { ...created.signature, value: broken } }, keys),
      broken,
    ).rejects.toThrow()
})

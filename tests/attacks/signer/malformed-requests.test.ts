/**
 * A service that was taken over sends the signer malformed requests: each field with every wrong type, bytes that are no JSON, names
 * that JavaScript knows. Each one is refused. A signed transaction pays what its request says, and the signer goes on.
 */
import path from 'node:path'
import { type Hex, parseTransaction } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATHS, writeOrder } from '../../../server/src/keys/backends/protocol.ts'
import {
  ALICE,
  DATABASE,
  draftAt,
  ETHER,
  makeFolder,
  NETWORK,
  openTestSigner,
  payment,
  policyFile,
  TOKEN,
  testCatalogue,
} from '../../../server/src/keys/testing.ts'

type World = Awaited<ReturnType<typeof openTestSigner>>
let world: World
let honest: Record<string, unknown>
beforeAll(async () => {
  const { folder, networks } = makeFolder()
  const { catalogue, eth } = await testCatalogue(networks)
  world = await openTestSigner({ catalogue, policy: policyFile(), folder: path.join(folder, 'journal') })
  honest = {
    ...{ database: DATABASE, network: NETWORK, order: writeOrder(payment(eth, ETHER)), slot: ['7'], draft: draftAt(1) },
    ...{ attempt: 0, purpose: 'new', payouts: [], known: [], writer: ['writer', 1] },
  }
})
afterAll(() => world.stop())

const send = (url: string, body: string, type = 'application/json') =>
  world.app.inject({ method: 'POST', url, body, headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type } })

type Path = (string | number)[]

/** The paths of all values, with those of objects and lists. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, one]) =>
          pathsOf(one, [...at, Array.isArray(value) ? Number(name) : name]),
        )
      : []
  return at.length === 0 ? inner : [at, ...inner]
}

function changed(path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(honest)
  let at: Record<string | number, unknown> = copy
  for (const name of path.slice(0, -1)) at = at[name] as typeof at
  const last = path.at(-1) ?? ''
  if (value === undefined) delete at[last]
  else at[last] = value
  return copy
}

const WRONG: unknown[] = [
  ...[undefined, null, true, -1, 1.5, 2 ** 53, '', ' ', '0x', '-1', '1e18', '01', '9'.repeat(79), '\u0000', '\ud800'],
  ...['__proto__', 'constructor', '../../keys', 'x'.repeat(1_001), [], {}, [[]], { toString: 1 }, [null]],
]

/** Nothing is signed, unless the transaction is the one that the request describes. */
function judge(answer: { statusCode: number; body: string }, asked: string): void {
  expect(answer.statusCode, asked).toBeLessThan(500)
  if (answer.statusCode !== 200) return
  const told = JSON.parse(answer.body) as { is?: string; record?: { transfer: { bytes: Hex } } }
  if (told.is === 'refused') return
  expect(told.is, asked).toBe('signed')
  const { to, value, nonce } = parseTransaction(told.record?.transfer.bytes ?? '0x')
  expect([to, value, nonce], asked).toEqual([ALICE.toLowerCase(), ETHER, 7])
}

test('every field of an order with every wrong value', async () => {
  const paths = pathsOf(honest)
  expect(paths.length).toBeGreaterThan(14)
  for (const path of paths) {
    for (const value of WRONG) {
      const body = JSON.stringify(changed(path, value))
      judge(await send(PATHS.sign, body), `${path.join('.')} = ${JSON.stringify(value)}`)
    }
  }
  const slot = { network: NETWORK, account: String((honest.order as { account: string }).account), slot: ['7'] }
  expect(world.journal.signatures(slot).length).toBeLessThanOrEqual(1)
})

const BODIES: [string, string, string?][] = [
  ['nothing', ''],
  ['no JSON', '{'],
  ['a text', '"sign"'],
  ['a list', '[]'],
  ['null', 'null'],
  ['text that claims to be a form', 'order=1', 'application/x-www-form-urlencoded'],
  ['JSON as plain text', '{}', 'text/plain'],
  ['a prototype', '{"__proto__":{"network":"BASE_SEPOLIA"},"constructor":{"prototype":{"attempt":0}}}'],
  ['a hundred thousand brackets', '['.repeat(100_000)],
  ['nine megabytes', JSON.stringify({ draft: 'x'.repeat(9 * 1024 * 1024) })],
  ['a number that no double holds', '{"attempt":1e999}'],
]

test.each(BODIES)('%s, on every path', async (_, body, type) => {
  for (const url of Object.values(PATHS).filter((one) => one !== PATHS.health)) {
    // The status takes no parameters.
    const answer = await send(url, body, type)
    if (url !== PATHS.status || answer.statusCode !== 200) {
      expect(answer.statusCode, url).toBeGreaterThanOrEqual(400)
      expect(answer.statusCode, url).toBeLessThan(500)
    }
  }
})

test('an order with two values of one field is judged by the one that is signed', async () => {
  const twice = JSON.stringify(honest).replace('"units":"', '"units":"1","units":"')
  judge(await send(PATHS.sign, twice), 'twice')
})

test('afterwards the signer signs the honest order, once', async () => {
  const first = await send(PATHS.sign, JSON.stringify(honest))
  expect(first.json()).toMatchObject({ is: 'signed' })
  const again = await send(PATHS.sign, JSON.stringify(honest))
  expect(again.json()).toEqual(first.json())
  expect((await world.app.inject('/v1/health')).json()).toEqual({ status: 'ok' })
})

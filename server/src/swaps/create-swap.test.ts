/** Swaps created at the same moment are stored in one batch, but each succeeds or fails alone. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChain } from '../../../chains/simulated/local/src/index.ts'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { startServices, type TestServices } from '../../../tests/support/service/services.ts'
import { chainOf } from '../catalogue/chains.ts'
import { createWatcher } from '../flow/watch/watch.ts'
import { insertDepositAddress } from '../store/watch/addresses.ts'
import { type CreatedSwap, createSwap } from './create-swap.ts'
import { createOnce } from './idempotent-create.ts'
import type { SwapRequest } from './request.ts'

let database: TestDatabase
let services: TestServices
let recipient: string
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
  recipient = (await services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

function request(fields: Partial<SwapRequest> = {}): SwapRequest {
  return {
    sourceNetwork: 'ALPHA',
    sourceToken: 'USDC',
    destinationNetwork: 'BETA',
    destinationToken: 'USDC',
    refuel: false,
    useDepositAddress: false,
    useDepository: false,
    useGasless: false,
    amount: '100',
    slippage: null,
    destinationAddress: recipient,
    sourceAddress: null,
    refundAddress: null,
    useNewDepositAddress: false,
    referenceId: null,
    appId: null,
    appName: null,
    sourceExchange: null,
    destinationExchange: null,
    correlationId: null,
    ...fields,
  }
}

const stored = (referenceId: string) =>
  services.database.selectFrom('swap').selectAll().where('reference_id', '=', referenceId).execute()

const itself = async (created: CreatedSwap) => created

test('each gets its own reference and is stored with its own terms', async () => {
  const amounts = Array.from({ length: 30 }, (_, n) => String(100 + n))
  const made = await Promise.all(
    amounts.map((amount) => createSwap(services, request({ amount, referenceId: 'many' }))),
  )
  const rows = await stored('many')
  expect(rows).toHaveLength(30)
  expect(new Set(rows.map(({ reference }) => reference)).size).toBe(30)
  for (const [n, { view, actions }] of made.entries()) {
    const row = rows.find(({ id }) => id === view.swap.id)
    expect(row).toMatchObject({ reference: view.reference, requested_units: BigInt(100 + n) * 10n ** 6n })
    expect(actions[0]?.callData).toBe(String(view.reference))
  }
})

test('a swap that the database rejects fails alone', async () => {
  const nobody = randomUUID()
  const outcomes = await Promise.allSettled(
    [null, null, nobody, null, null].map((appId) => createSwap(services, request({ appId, referenceId: 'one bad' }))),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await stored('one bad')).toHaveLength(4)
})

test('a swap that pays one of our deposit addresses is rejected alone', async () => {
  const { view } = await createSwap(
    services,
    request({ useDepositAddress: true, sourceNetwork: 'BETA', destinationNetwork: 'ALPHA' }),
  )
  const outcomes = await Promise.allSettled(
    [recipient, view.receiver, recipient].map((destinationAddress) =>
      createSwap(services, request({ destinationAddress, referenceId: 'ours' })),
    ),
  )
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { code: 'INVALID_ADDRESS_ERROR' } })
  expect(await stored('ours')).toHaveLength(2)
  const repeated = { scope: 's', key: 'to ourselves', bodyHash: 'h' }
  const towards = request({ destinationAddress: view.receiver, referenceId: 'ours' })
  const refund = request({ sourceNetwork: 'BETA', destinationNetwork: 'ALPHA', refundAddress: view.receiver })
  await expect(createOnce(services, towards, repeated, itself)).rejects.toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
  await expect(createSwap(services, refund)).rejects.toMatchObject({ metadata: { refund_address: expect.anything() } })
  // The key was not used up: with a payable recipient it creates a swap.
  expect(
    (await createOnce(services, request({ referenceId: 'ours' }), repeated, itself)).view.swap.status,
  ).toBeDefined()
  expect(await stored('ours')).toHaveLength(3)
})

describe('a reference that is drawn twice', () => {
  const draws = (numbers: readonly number[]) => {
    const left = [...numbers]
    return { ...services, randomBytes: (size: number) => new Uint8Array(size).fill(left.shift() ?? 0) }
  }

  test.each([false, true])(
    'is drawn again, and the deposit names the new one; deposit address: %j',
    async (atAddress) => {
      const base = atAddress ? 20 : 10
      const asked = () => request({ useDepositAddress: atAddress, referenceId: `twice ${atAddress}` })
      const [first, second] = [
        await createSwap(draws([base]), asked()),
        await createSwap(draws([base, base, base + 1]), asked()),
      ]
      expect(second.view.reference).not.toBe(first.view.reference)
      expect(await stored(`twice ${atAddress}`)).toHaveLength(2)
      if (!atAddress) expect(second.actions[0]?.callData).toBe(String(second.view.reference))
    },
  )

  test('by swaps of one batch fails none of them', async () => {
    const numbers = [30, 31, 31, 32, 33, 34]
    const together = draws(numbers)
    const made = await Promise.all([1, 2, 3, 4].map(() => createSwap(together, request({ referenceId: 'together' }))))
    expect(new Set(made.map(({ view }) => view.reference)).size).toBe(4)
    expect(await stored('together')).toHaveLength(4)
  })

  test('keeps its idempotency key for the one that is stored', async () => {
    const repeated = { scope: 's', key: 'drawn twice', bodyHash: 'h' }
    await createSwap(draws([40]), request({}))
    const made = await createOnce(draws([40, 41]), request({ referenceId: 'kept key' }), repeated, itself)
    const again = await createOnce(services, request({ referenceId: 'kept key' }), repeated, itself)
    expect(again.view.swap.id).toBe(made.view.swap.id)
    expect(await stored('kept key')).toHaveLength(1)
  })

  test('five times in a row fails, and stores nothing', async () => {
    await createSwap(draws([50]), request({}))
    await expect(createSwap(draws([50, 50, 50, 50, 50, 51]), request({ referenceId: 'never' }))).rejects.toThrow()
    expect(await stored('never')).toEqual([])
  })
})

test('a network that carries short references gets short ones, and asks for the sender', async () => {
  const chain = services.chains.get('ALPHA')
  if (!chain) throw new Error('no ALPHA')
  const { references } = chain
  Object.assign(chain, { references: { bits: 28 } })
  try {
    await expect(createSwap(services, request({}))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      metadata: { source_address: expect.anything() },
    })
    const made = await Promise.all(
      Array.from({ length: 20 }, () => createSwap(services, request({ sourceAddress: recipient }))),
    )
    for (const { view } of made) expect(view.reference).toBeLessThan(2n ** 28n)
  } finally {
    Object.assign(chain, { references })
  }
})

describe('deposit addresses', () => {
  const ordered = (fields: Partial<SwapRequest> = {}) =>
    createSwap(
      services,
      request({ useDepositAddress: true, sourceNetwork: 'BETA', destinationNetwork: 'ALPHA', ...fields }),
    )
  const placeOf = async (address: string) =>
    services.database
      .selectFrom('deposit_address')
      .select(['branch', 'index', 'account'])
      .where('address', '=', address)
      .executeTakeFirstOrThrow()

  test('are derived in the branch of this process, one after the other', async () => {
    const branch = services.addressBranch.branch ?? 0
    const made = await Promise.all(Array.from({ length: 5 }, () => ordered()))
    const places = await Promise.all(made.map(({ view }) => placeOf(view.receiver)))
    const chain = chainOf(services.chains, 'BETA')
    for (const [n, place] of places.entries()) {
      expect(place).toMatchObject({ branch, account: chain.treasury })
      expect(await chain.depositAddresses?.derive(place.index, branch)).toBe(made[n]?.view.receiver)
    }
    expect(new Set(places.map(({ index }) => index)).size).toBe(5)
  })

  test('are not used up by swaps that are refused', async () => {
    const before = await placeOf((await ordered()).view.receiver)
    for (let tries = 0; tries < 3; tries++) {
      const ours = (await services.database.selectFrom('deposit_address').selectAll().executeTakeFirstOrThrow()).address
      await expect(ordered({ refundAddress: ours })).rejects.toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
    }
    expect((await placeOf((await ordered()).view.receiver)).index).toBe(before.index + 1)
  })

  test('continue after those that a restore has stored in the same branch', async () => {
    const branch = services.addressBranch.branch ?? 0
    const { index, account } = await placeOf((await ordered()).view.receiver)
    for (let next = index + 1; next <= index + 4; next++) {
      const entry = { network: 'BETA', account, branch, index: next, address: `restored ${next}`, purpose: 'restored' }
      await insertDepositAddress(services.database, entry)
    }
    expect((await placeOf((await ordered()).view.receiver)).index).toBe(index + 5)
  })
})

test('concurrent uses of one key create one swap, next to swaps without a key', async () => {
  const keys = ['a', 'b', null, 'a', 'c', null, 'b', 'a']
  const made = await Promise.all(
    keys.map((key) =>
      createOnce(
        services,
        request({ referenceId: 'keyed' }),
        key === null ? null : { scope: 's', key, bodyHash: 'h' },
        itself,
      ),
    ),
  )
  const ids = made.map(({ view }) => view.swap.id)
  expect([ids[3], ids[7], ids[6]]).toEqual([ids[0], ids[0], ids[1]])
  expect(new Set(ids).size).toBe(5)
  expect(new Set((await stored('keyed')).map(({ id }) => id))).toEqual(new Set(ids))
})

test('the same key in two scopes creates two swaps, even in the same batch', async () => {
  const ask = (scope: string) => createOnce(services, request({}), { scope, key: 'shared', bodyHash: 'h' }, itself)
  const first = (await ask('one')).view.swap.id
  const second = (await ask('two')).view.swap.id
  expect(second).not.toBe(first)
  const again = await Promise.all([ask('one'), ask('two'), ask('one')])
  expect(again.map(({ view }) => view.swap.id)).toEqual([first, second, first])
})

test('if the family rejects the deposit request, no swap is stored', async () => {
  const chain = services.chains.get('ALPHA')
  if (!chain) throw new Error('ALPHA is a network')
  const { depositAction } = chain
  chain.depositAction = async () => {
    throw new Error('refused')
  }
  try {
    await expect(createSwap(services, request({ referenceId: 'refused' }))).rejects.toThrow('refused')
  } finally {
    chain.depositAction = depositAction
  }
  expect(await stored('refused')).toEqual([])
})

test("a lone surrogate in the caller's text is stored as a replacement character", async () => {
  await createSwap(services, request({ referenceId: 'half \ud800', appName: 'odd' }))
  expect(await stored('half \ufffd')).toHaveLength(1)
})

test('swaps from an unscanned network are rejected; later ones store how far the scan had come', async () => {
  await services.database.deleteFrom('chain_cursor').where('network', '=', 'GAMMA').execute()
  const refused = createSwap(services, request({ sourceNetwork: 'GAMMA', referenceId: 'early' }))
  await expect(refused).rejects.toMatchObject({ code: 'SERVICE_STARTING' })
  expect(await stored('early')).toEqual([])
  const { chain } = findChain('GAMMA')
  chain.mine(3)
  await createWatcher(services, chainOf(services.chains, 'GAMMA')).turn()
  await createSwap(services, request({ sourceNetwork: 'GAMMA', referenceId: 'read' }))
  expect((await stored('read')).map(({ made_at_head }) => made_at_head)).toEqual([BigInt(chain.height)])
})

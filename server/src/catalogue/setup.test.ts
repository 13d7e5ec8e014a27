/** Readiness of a network: what is missing on chain, what it closes, and which command does it. */
import type { ChainAdapter } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../tests/support/service/accounts.ts'
import { startApi, type TestApi } from '../../../tests/support/service/api.ts'
import { createInternal } from '../api/internal.ts'
import { chainOf } from './chains.ts'
import { checkSetup } from './setup.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const alpha = (): ChainAdapter => chainOf(api.services.chains, 'ALPHA')

test('a network with everything has nothing missing', async () => {
  expect(await checkSetup(alpha(), { isNew: true })).toEqual({ network: 'ALPHA', missing: [], trouble: null })
})

test('a missing factory, an unfunded treasury and a family’s own step are named with their commands', async () => {
  const own = { what: 'no nonce account', closes: ['payouts' as const], command: 'setup' }
  const chain: ChainAdapter = {
    ...alpha(),
    depositAddresses: { derive: async () => '', isReady: () => false },
    balance: async (_owner, token) => ({ token, units: 0n }),
    setup: { missing: async () => [own] },
  }
  const { missing } = await checkSetup(chain, { isNew: true })
  expect(missing.map(({ closes }) => closes)).toEqual([['payouts'], ['deposit_address'], ['payouts']])
  expect(missing[1]?.command).toBe('npm run admin -- depository factory --network ALPHA')
  expect(missing[2]?.what).toBe('the treasury has no SIM for fees')
})

test('a node that does not answer is reported, not hidden', async () => {
  const chain: ChainAdapter = { ...alpha(), balance: () => Promise.reject(new Error('no node answers')) }
  expect(await checkSetup(chain, { isNew: false })).toMatchObject({ trouble: 'no node answers' })
})

test('the command line and /ready show it', async () => {
  expect(await admin(api.services, 'network', 'check', '--network', 'ALPHA')).toBe('ALPHA: nothing is missing')
  expect(await admin(api.services, 'network', 'check')).toContain('GAMMA: nothing is missing')
  const internal = createInternal(api.services)
  try {
    const setupOf = async () => {
      const { networks } = (await internal.inject({ url: '/ready', headers: { host: 'localhost' } })).json()
      return networks.map(({ setup }: { setup: unknown }) => setup)
    }
    await expect.poll(setupOf).toEqual([[], [], []])
  } finally {
    await internal.close()
  }
})

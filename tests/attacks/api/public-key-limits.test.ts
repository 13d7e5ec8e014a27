/** Attack B5: one visitor of a page uses up the limits of its public key, so that its other users are refused. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, found, keyOf } from '../../support/service/accounts.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

const READS = 20
let api: TestApi
let visitor: Record<string, string>
let server: Record<string, string>
beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_READS: `${READS}`, RATE_LIMIT_KEY_FACTOR: '3' })
  server = { 'x-ls-apikey': await keyOf(api.services, 'shop') }
  const words = ['key', 'create', '--app', 'shop', '--environment', 'testnet', '--kind', 'public']
  visitor = { 'x-ls-apikey': found(/causeway_testnet_public_[\w-]{43}/, await admin(api.services, ...words)) }
})
afterAll(() => api.stop())

async function passed(remoteAddress: string, headers: Record<string, string>, count: number): Promise<number> {
  let good = 0
  for (let sent = 0; sent < count; sent++) {
    const { statusCode } = await api.server.inject({ url: '/api/v2/networks', remoteAddress, headers })
    good += Number(statusCode === 200)
  }
  return good
}

test('each visitor of a page has the limit of an address, whatever another one does', async () => {
  expect(await passed('198.51.100.1', visitor, READS * 4)).toBe(READS)
  expect(await passed('198.51.100.2', visitor, READS)).toBe(READS)
})

test('a secret key is one client, from whatever address it is used', async () => {
  expect(await passed('198.51.100.3', server, READS * 2)).toBe(READS * 2)
  expect(await passed('198.51.100.4', server, READS * 2)).toBe(READS)
})

/** HTTP rules that every client relies on: URLs, browser headers, keys, envelopes and errors. */
import { randomUUID } from 'node:crypto'
import type { Sandbox } from '@causeway/devnet'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ListedNetwork, Quoted } from './reads.ts'
import { callerOf, FROM, routeQuery, TO } from './service.ts'

export function transport(sandbox: () => Sandbox): void {
  const keyless = () => callerOf(`${sandbox().url}/api/v2`)
  const withKey = (key: string) => callerOf(`${sandbox().url}/api/v2`, { 'X-LS-APIKEY': key })

  describe('transport', () => {
    it('a base address that ends in a slash is joined to a path that begins with one', async () => {
      await callerOf(`${sandbox().url}/`).read(z.array(ListedNetwork).min(2), '/api/v2/networks')
    })

    it.each(['GET', 'POST'])(
      'a browser’s preflight of a %s is answered, with the headers that it asks for',
      async (method) => {
        const asked = 'access-control-allow-origin,content-type,traceparent,x-ls-apikey,x-ls-correlation-id'
        const { status, headers } = await keyless().send('OPTIONS', '/swaps', undefined, {
          origin: 'https://shop.example',
          'access-control-request-method': method,
          'access-control-request-headers': asked,
        })
        expect(status).toBeGreaterThanOrEqual(200)
        expect(status).toBeLessThan(300)
        expect(headers.get('access-control-allow-origin')).toBe('*')
        expect(headers.get('access-control-allow-headers')).toBe(asked)
        expect(headers.get('access-control-allow-methods')).toMatch(/GET.*POST.*OPTIONS/)
        expect(headers.get('access-control-allow-credentials')).toBe(null)
      },
    )

    it('a client that sends access-control-allow-origin as a header of its request is answered', async () => {
      const { status, headers } = await keyless().send('GET', '/networks', undefined, {
        'Access-Control-Allow-Origin': '*',
        origin: 'https://shop.example',
      })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    })

    it('health is an empty 200 without a key', async () => {
      expect(await keyless().send('GET', '/health')).toMatchObject({ status: 200, text: '' })
    })

    it('the printed keys are good, no key is fine, and another key is a 403 in JSON', async () => {
      const { keys } = sandbox()
      for (const key of [keys.public, keys.secret]) await withKey(key).read(z.array(ListedNetwork), '/networks')
      await keyless().read(z.array(ListedNetwork), '/networks')
      for (const key of ['mainnet', 'a+b/c==', 'x'.repeat(500)]) {
        expect(await withKey(key).refused('GET', '/networks')).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
      }
    })

    it('the caller’s own correlation id is returned', async () => {
      const id = randomUUID()
      const { headers } = await keyless().send('GET', '/networks', undefined, { 'X-LS-CORRELATION-ID': id })
      expect(headers.get('x-ls-correlation-id')).toBe(id)
    })

    it('an invalid request is refused in JSON, never with an empty body', async () => {
      const bad = [
        '/limits',
        '/quote?amount=1',
        '/networks?network_types=nothing',
        '/explorer?statuses=Nonsense',
        '/swaps',
      ]
      for (const at of bad) expect((await keyless().refused('GET', at)).status).toBe(400)
      expect(await keyless().refused('POST', '/swaps', {})).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
      expect(await keyless().refused('GET', '/nothing')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    })

    it('errors have the codes and the metadata that clients show', async () => {
      const quote = (amount: string, to = 'ETH') =>
        keyless().refused(
          'GET',
          `/quote?${new URLSearchParams([...routeQuery('ETH', to), ['amount', amount]].map(pair))}`,
        )
      expect(await quote('0.0000001')).toMatchObject({
        code: 'LESS_THAN_MIN_ERROR',
        metadata: { AmountLimit: expect.any(Number) },
      })
      expect(await quote('1000000')).toMatchObject({
        code: 'GREATER_THAN_MAX_ERROR',
        metadata: { AmountLimit: expect.any(Number) },
      })
      expect(await quote('1', 'DOGE')).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
      const body = {
        source_network: FROM,
        source_token: 'ETH',
        destination_network: TO,
        destination_token: 'ETH',
        amount: 0.1,
      }
      expect(await keyless().refused('POST', '/swaps', { ...body, destination_address: 'nowhere' })).toMatchObject({
        status: 400,
        code: 'INVALID_ADDRESS_ERROR',
      })
      const unknown = randomUUID()
      expect(await keyless().refused('GET', `/swaps/${unknown}`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      const hash = `0x${'0'.repeat(63)}1`
      expect(await keyless().refused('GET', `/swaps/by_transaction_hash/${hash}`)).toMatchObject({ status: 404 })
      const status = `/transaction_status?network=${FROM}&transaction_id=${hash}`
      expect(await keyless().refused('GET', status)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    })

    it('amounts are plain numbers in the text itself: no client parses an exponent', async () => {
      const { text } = await keyless().send(
        'GET',
        `/quote?${new URLSearchParams([...routeQuery(), ['amount', '0.1']].map(pair))}`,
      )
      expect(text).not.toMatch(/:\s*-?\d+(\.\d+)?e[-+]?\d/i)
      Quoted.parse(JSON.parse(text).data)
    })

    it('the OpenAPI document is also at the older paths', async () => {
      const { status, text } = await callerOf(sandbox().url).send('GET', '/swagger/v2/swagger.json')
      expect(status).toBe(200)
      expect(Object.keys(JSON.parse(text).paths)).toContain('/api/v2/swaps')
    })
  })
}

function pair([name = '', value = '']: readonly string[]): [string, string] {
  return [name, value]
}

/** Behaviour of every request: URLs, CORS, correlation ids, keys, and errors in the envelope. */
import { connect } from 'node:net'
import { Failure } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../tests/support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
  api.server.get('/explode', async () => {
    throw new Error('postgres://user:secret@db/x went away')
  })
})
afterAll(() => api.stop())

test('leading double slashes are served like one', async () => {
  const once = await api.server.inject('/api/v2/networks?network_types=starkex')
  for (const path of ['//api/v2/networks', '///api/v2/networks']) {
    const answer = await api.server.inject(`${path}?network_types=starkex`)
    expect([answer.statusCode, answer.body]).toEqual([200, once.body])
  }
})

test('a trailing slash is ignored', async () => {
  const served = async (url: string) => {
    const { statusCode, body } = await api.server.inject(url)
    return [statusCode, body]
  }
  for (const [plain, stray] of [
    ['/api/v2/networks?network_types=starkex', '/api/v2/networks/?network_types=starkex'],
    ['/api/v2/explorer?statuses=1&statuses=4', '/api/v2/explorer/?statuses=1&statuses=4'],
    ['/api/v2/explorer/nothing-of-it', '//api/v2/explorer/nothing-of-it//'],
  ] as const) {
    const once = await served(plain)
    expect(once[0]).toBe(200)
    expect(await served(stray)).toEqual(once)
  }
  expect(await served('/api/v2/health/')).toEqual([200, ''])
  for (const nowhere of ['/api/v2/', '/api/v2', '/no/such/place/'])
    expect((await api.server.inject(nowhere)).json().error.message).toBe(`There is no GET ${nowhere}.`)
})

test('every OPTIONS is answered and the requested headers are reflected', async () => {
  const wanted = 'x-ls-apikey,content-type,x-ls-correlation-id,traceparent,access-control-allow-origin'
  for (const url of ['/api/v2/swaps', '//api/v2/swaps', '/no/such/place']) {
    const answer = await api.server.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': wanted,
      },
    })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-headers']).toBe(wanted)
    expect(answer.headers['access-control-allow-methods']).toContain('POST')
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  }
  expect((await api.server.inject({ method: 'OPTIONS', url: '/api/v2/networks' })).statusCode).toBe(204)
})

test('every origin may read successes and failures', async () => {
  for (const url of ['/api/v2/networks', '/api/v2/limits', '/nowhere', '/api/v2/%zz', '/explode']) {
    const answer = await api.server.inject({ url, headers: { origin: 'https://app.example' } })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  }
})

test('a well-formed correlation id is echoed, anything else is replaced', async () => {
  const echoed = async (id: string) =>
    (await api.server.inject({ url: '/api/v2/networks', headers: { 'x-ls-correlation-id': id } })).headers[
      'x-ls-correlation-id'
    ]
  expect(await echoed('order-17:retry.2')).toBe('order-17:retry.2')
  const fresh = /^[0-9a-f-]{36}$/
  for (const id of ['', 'two words', 'x'.repeat(129), '{"a":1}']) expect(await echoed(id)).toMatch(fresh)
})

test('an unknown key is forbidden', async () => {
  for (const url of ['/api/v2/networks', '/api/v2/swaps/0f8fad5b-d9cb-469f-a165-70867728950e']) {
    const answer = await api.refuse({ url, headers: { 'X-LS-APIKEY': 'made-up' } })
    expect(answer).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
  }
  expect((await api.server.inject({ url: '/api/v2/networks', headers: { 'x-ls-apikey': '' } })).statusCode).toBe(200)
})

test('a path without a route is NOT_FOUND', async () => {
  for (const url of ['/nothing', '/api/v2', '/api/v2/nothing', '/api/v1/networks']) {
    expect(await api.refuse(url)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  }
})

test('a path with another method is METHOD_NOT_ALLOWED and lists the methods', async () => {
  for (const [method, url, allow] of [
    ['DELETE', '/api/v2/networks', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/v2/swaps', 'POST, GET, HEAD, OPTIONS'],
    ['POST', '/api/v2/swaps/0f8fad5b-d9cb-469f-a165-70867728950e?x=1', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const answer = await api.server.inject({ method, url })
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow])
    expect(Failure.parse(answer.json()).error.code).toBe('METHOD_NOT_ALLOWED')
  }
})

test('a malformed body is a VALIDATION_ERROR with the reason', async () => {
  const send = (payload: string, type = 'application/json') =>
    api.refuse({ method: 'POST', url: '/api/v2/swaps', payload, headers: { 'content-type': type } })
  const bad = { status: 400, code: 'VALIDATION_ERROR', metadata: { body: expect.any(String) } }
  expect(await send('{"amount":')).toMatchObject(bad)
  expect(await send('')).toMatchObject(bad)
  expect(await send('{"__proto__":{"a":1}}')).toMatchObject(bad)
  expect(await send('[]')).toMatchObject(bad)
  expect(await send('null')).toMatchObject(bad)
  expect(await send(JSON.stringify({ reference_id: 'x'.repeat(1024 * 1024) }))).toMatchObject(bad)
  expect(await send('amount=1', 'application/x-www-form-urlencoded')).toMatchObject(bad)
  expect(await send('hello', 'text/plain')).toMatchObject(bad)
  expect(await send('{}', 'no type at all')).toMatchObject(bad)
})

test('a URL that cannot be decoded is a VALIDATION_ERROR', async () => {
  expect(await api.refuse('/api/v2/swaps/%zz')).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  expect(await api.refuse(`/api/v2/swaps/${'x'.repeat(300)}`)).toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('an internal error reveals only a correlation id', async () => {
  const answer = await api.server.inject({ url: '/explode', headers: { 'x-ls-correlation-id': 'find-me' } })
  expect(answer.statusCode).toBe(500)
  expect(answer.body).not.toContain('postgres')
  const { error } = Failure.parse(answer.json())
  expect(error).toMatchObject({ code: 'UNEXPECTED_ERROR', metadata: { correlation_id: 'find-me' } })
})

test('bytes that are not HTTP are answered in the envelope too', async () => {
  const address = await api.server.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(address).port)
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('HELLO\r\n\r\n'))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toContain('400 Bad Request')
  expect(Failure.parse(JSON.parse(body)).error.code).toBe('VALIDATION_ERROR')
})

test('health is an empty 200', async () => {
  const answer = await api.server.inject('/api/v2/health')
  expect([answer.statusCode, answer.body]).toEqual([200, ''])
})

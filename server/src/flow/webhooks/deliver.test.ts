/** One delivery: bounded in time, only to allowed addresses, and to the address that was checked. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../../tests/support/service/receiver.ts'
import { makeWebhookSecret } from '../../apps/accounts.ts'
import type { PrivateReach } from '../../apps/webhooks.ts'
import { postWebhook } from './deliver.ts'

const BODY = '{"data":{"swap":{"status":"x"}}}'
const SECRET = makeWebhookSecret()
const never = new AbortController().signal

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.stop())

test('a receiver that hangs, drops the line or answers without end costs a bounded time', async () => {
  const delivery = {
    url: receiver.url,
    secret: SECRET,
    messageId: 'x',
    body: BODY,
  }
  const options = { now: new Date(), reach: 'all' as const, signal: never, timeoutMs: 300 }
  receiver.answer = () => undefined
  expect(await postWebhook(delivery, options)).toBe('no answer in time')
  receiver.answer = (response) => response.destroy()
  expect(await postWebhook(delivery, options)).toBe('ECONNRESET')
  const hungUp = Promise.withResolvers<void>()
  receiver.answer = (response) => {
    response.writeHead(200)
    const pour = setInterval(() => response.write('x'.repeat(65_536)), 1)
    response.once('close', () => {
      clearInterval(pour)
      hungUp.resolve()
    })
  }
  expect(await postWebhook(delivery, { ...options, timeoutMs: 600_000 })).toBeNull()
  await hungUp.promise
})

test('private addresses are refused, also behind a name', async () => {
  const body = '{}'
  const to = (url: string) =>
    postWebhook({ url, secret: SECRET, messageId: 'x', body }, { now: new Date(), reach: 'none', signal: never })
  for (const host of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '[::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    'localhost',
    '2130706433',
  ]) {
    expect(await to(`https://${host}/hook`), host).toBe('the address must not be a private address')
  }
  expect(await to(receiver.url)).toBe('the address must begin with https://')
  expect(receiver.received).toEqual([])
})

test('a sandbox sends to this machine only, whatever a name resolves to', async () => {
  const to = (url: string, address = '10.0.0.1') =>
    postWebhook(
      { url, secret: SECRET, messageId: 'x', body: BODY },
      { now: new Date(), reach: 'loopback', signal: never, lookUp: async () => [{ address, family: 4 }] },
    )
  expect(await to(receiver.url, '127.0.0.1')).toBeNull()
  for (const host of ['10.0.0.1', '169.254.169.254', '192.168.1.1', '[fd00::1]', 'printer.local'])
    expect(await to(`https://${host}/hook`), host).toBe('the address must not be a private address')
  expect(await to('http://10.0.0.1/hook')).toBe('the address must begin with https://')
  expect(await to('https://hooks.example/')).toBe('the address must not be a private address')
  expect(receiver.received).toHaveLength(1)
})

test('a name is resolved once: what was judged is what is connected to', async () => {
  const { port } = new URL(receiver.url)
  const asked: string[] = []
  const send = (scheme: string, addresses: string[], reach: PrivateReach) =>
    postWebhook(
      { url: `${scheme}://hooks.example:${port}/x`, secret: SECRET, messageId: 'x', body: BODY },
      {
        now: new Date(),
        reach,
        signal: never,
        lookUp: async (host) => {
          asked.push(host)
          return addresses.map((address) => ({ address, family: 4 }))
        },
      },
    )
  expect(await send('http', ['127.0.0.1'], 'all')).toBeNull()
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${port}`)
  // Which of several addresses a connection would take is not ours to say: one private one is enough.
  for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1']])
    expect(await send('https', addresses, 'none')).toBe('the address must not be a private address')
  expect(asked).toEqual(['hooks.example', 'hooks.example', 'hooks.example'])
  expect(receiver.received).toHaveLength(1)
})

test('a name whose servers never answer takes nothing of the resolver that the nodes need', async () => {
  const stop = new AbortController()
  const options = { now: new Date(), reach: 'none' as const, signal: stop.signal }
  const names = ['one', 'two', 'three'].map((name) => `https://${name}.webhook.example/hook`)
  const sent = names.map((url) => postWebhook({ url, secret: SECRET, messageId: 'x', body: BODY }, options))
  // The system's resolver cannot be stopped, and all names of the process wait for it.
  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap')
  stop.abort()
  expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

test('of a name with IPv4 and IPv6 addresses the one is used that can be reached', async () => {
  const { port } = new URL(receiver.url)
  const found = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]
  const url = `http://hooks.example:${port}/x`
  const options = { now: new Date(), reach: 'all', signal: never, lookUp: async () => found } as const
  // Nothing listens at the first one, as with an IPv4 address on a machine that has IPv6 alone.
  expect(await postWebhook({ url, secret: SECRET, messageId: 'x', body: BODY }, options)).toBeNull()
  expect(receiver.received).toHaveLength(1)
})

/**
 * Attack B8, varied: a visitor of a page makes unpaid swaps with the page's public key. They cost nothing, and each expires with an event to
 * the app. The event of a customer who has paid must not wait behind them.
 */
import { CreatedSwap, CreatedWebhook, TestedWebhook } from '@causeway/sdk'
import { expect, test } from 'vitest'
import { runWorker } from '../../../server/src/flow/run/worker.ts'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { admin, found, keyOf } from '../../support/service/accounts.ts'
import { post, startApi } from '../../support/service/api.ts'
import { startReceiver } from '../../support/service/receiver.ts'

/** What one IPv6 /48 may create in a minute, by the default limits. */
const A_MINUTE = 1_920
/** How long the app's endpoint takes for each event. */
const ANSWER_MS = 200
const WINDOW_MS = 6 * 3_600_000 + 60_000
const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }

test('the unpaid swaps of a minute of one visitor do not delay an event of the app', { timeout: 300_000 }, async () => {
  let later = 0
  const api = await startApi({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, () => new Date(Date.now() + later))
  const receiver = await startReceiver()
  receiver.answer = (response) => setTimeout(() => response.end(), ANSWER_MS)
  const shop = { 'x-ls-apikey': await keyOf(api.services, 'shop') }
  const words = ['key', 'create', '--app', 'shop', '--environment', 'testnet', '--kind', 'public']
  const page = { 'x-ls-apikey': found(/causeway_testnet_public_[\w-]{43}/, await admin(api.services, ...words)) }
  const { id } = await api.ask(CreatedWebhook, { ...post('/api/v2/webhooks', { url: receiver.url }), headers: shop })
  const destination_address = await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)
  const body = { ...ROUTE, destination_address, amount: 100 }

  // Sixteen networks of one /48, none above its own limit.
  let made = 0
  for (let n = 0; n < A_MINUTE; n++) {
    const remoteAddress = `2001:db8:bad:${(256 * (1 + (n % 16))).toString(16)}::1`
    const answer = await api.server.inject({ ...post('/api/v2/swaps', body), headers: page, remoteAddress })
    made += Number(answer.statusCode === 200)
    if (answer.statusCode === 200 && made === 1) CreatedSwap.parse(answer.json().data)
  }
  expect(made).toBeGreaterThan(A_MINUTE * 0.8)
  later = WINDOW_MS
  await api.services.refresh()
  await expireSwaps(api.services)

  const over = new AbortController()
  const began = performance.now()
  await api.ask(TestedWebhook, { ...post(`/api/v2/webhooks/${id}/test`, {}), headers: shop })
  const working = runWorker(api.services, over.signal)
  const isOwn = () => receiver.statuses().includes('webhook.test')
  try {
    await eventually(async () => isOwn() || receiver.received.length >= made, "the app's own event", 240_000)
    const before = receiver.statuses().indexOf('webhook.test')
    console.log(`made ${made}; own event after ${before} others, ${Math.round((performance.now() - began) / 1000)} s`)
    expect(before < 0 ? receiver.received.length : before).toBeLessThan(100)
  } finally {
    over.abort()
    await working
    await receiver.stop()
    await api.stop()
  }
})

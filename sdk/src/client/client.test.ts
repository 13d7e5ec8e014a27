/** The client has a method for every API call: an endpoint without one fails here. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createClient } from './client.ts'

const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../openapi.json'), 'utf8'),
)
/** Aliases of `GET /swaps`, and calls for the pages of older clients. */
const WITHOUT_METHOD = ['GET /api/v2/swaps/internal', 'GET /api/v2/internal/swaps', 'GET /api/v2/internal/apps']
const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const ROUTE = { source_network: 'A', source_token: 'X', destination_network: 'B', destination_token: 'Y' }

test('every operation of the API has a client method', async () => {
  const called = new Set<string>()
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname } = new URL(String(url))
    called.add(`${init?.method ?? 'GET'} ${pathname}`)
    const swap = { status: 'completed', fail_reason: null, transactions: [] }
    return Response.json({ data: { swap } }, { status: 200 })
  }
  const client = createClient({ baseUrl: 'https://swap.example', fetch })
  const calls: Record<keyof typeof client, () => unknown> = {
    health: () => client.health(),
    wellKnown: () => client.wellKnown(),
    networks: () => client.networks(),
    sources: () => client.sources(),
    destinations: () => client.destinations(),
    sourceExchanges: () => client.sourceExchanges(),
    exchangeWithdrawalNetworks: () => client.exchangeWithdrawalNetworks(),
    limits: () => client.limits(ROUTE),
    quote: () => client.quote({ ...ROUTE, amount: 1 }),
    detailedQuote: () => client.detailedQuote(ROUTE),
    transactionStatus: () => client.transactionStatus({ network: 'A', transaction_id: 'hash' }),
    site: () => client.site(),
    status: () => client.status(),
    balance: () => client.balance({ network: 'A', token: 'X', address: 'x' }),
    address: () => client.address({ network: 'A', address: 'x' }),
    routesHealth: () => client.routesHealth(),
    progress: () => client.progress(ID),
    createSwap: () => client.createSwap({ ...ROUTE, destination_address: 'x' }),
    swap: () => client.swap(ID),
    swaps: () => client.swaps({ address: ['a', 'b'] }),
    swapByTransaction: () => client.swapByTransaction('{transactionHash}'),
    depositActions: () => client.depositActions(ID),
    speedUp: () => client.speedUp(ID, 'hash'),
    authorization: () => client.authorization(ID),
    authorize: () => client.authorize(ID, { signature: '0x', signer_address: 'x' }),
    giveRefundAddress: () => client.giveRefundAddress(ID, { refund_address: 'x' }),
    watchSwap: () => client.watchSwap(ID).next(),
    waitForSwap: () => client.waitForSwap(ID),
    explorer: () => client.explorer(),
    explorerSearch: () => client.explorerSearch('{search}'),
    unmatched: () => client.unmatched('{transactionHash}'),
    analytics: () => client.analytics(),
    campaigns: () => client.campaigns(),
    campaign: () => client.campaign('{campaign}'),
    leaderboard: () => client.leaderboard('{campaign}'),
    rewards: () => client.rewards('{campaign}', '{address}'),
    rewardPayouts: () => client.rewardPayouts('{campaign}', '{address}'),
    webhooks: () => client.webhooks(),
    addWebhook: () => client.addWebhook('https://x'),
    updateWebhook: () => client.updateWebhook('{webhookId}', { event_types: ['swap.completed'] }),
    testWebhook: () => client.testWebhook('{webhookId}'),
    removeWebhook: () => client.removeWebhook('{webhookId}'),
    replayWebhooks: () => client.replayWebhooks(ID),
  }
  for (const call of Object.values(calls)) await call()
  const seen = new Set([...called].map((entry) => decodeURIComponent(entry).replace(ID, '{swapId}')))
  const operations = Object.entries(document.paths).flatMap(([name, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${name}`),
  )
  expect(operations.filter((operation) => !seen.has(operation) && !WITHOUT_METHOD.includes(operation))).toEqual([])
})

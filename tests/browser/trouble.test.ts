/** The text shown when there is no data or an error, for each page, without serious accessibility faults. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { BRIEFLY, faultsOf, TEXTS_ONLY } from './support/faults.ts'
import { fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const NUMBER = '0a1b2c3d-0000-4000-8000-000000000000'

/** An error response of our own API. */
const refuse = (status: number, code: string, metadata?: object, headers?: Record<string, string>) => (route: Route) =>
  route.fulfill({
    status,
    headers: { 'x-ls-correlation-id': NUMBER, ...headers },
    json: { error: { code, message: `${code}: not now`, ...(metadata ? { metadata } : {}) } },
  })
const broken = refuse(500, 'UNEXPECTED_ERROR')
const silent = (route: Route) => route.abort()

async function look(page: Page, says: RegExp | string, looks = BRIEFLY): Promise<void> {
  await page.getByText(says).first().waitFor()
  expect(await faultsOf(page, looks)).toEqual([])
  stage.expectClean()
  await page.context().close()
}

test.each([
  ['no lists of routes, by a fault', '/', '**/api/v2/sources?*', broken, `Reference for support: ${NUMBER}`],
  ['no lists of routes, by silence', '/', '**/api/v2/**', silent, 'The service isn’t answering. Trying again…'],
  ['a history that cannot be read', '/history', '**/api/v2/swaps?*', broken, NUMBER],
  ['an explorer that cannot be read', '/explorer', '**/api/v2/**', silent, 'The service isn’t answering'],
  ['route health that cannot be read', '/explorer/routes', '**/api/v2/**', silent, 'The service isn’t answering'],
  ['a quick start without a service', '/developers', '**/api/v2/**', silent, 'The service isn’t answering'],
  ['no sandbox', '/developers/sandbox', '**/sandbox/**', refuse(404, 'NOT_FOUND'), 'This service isn’t a sandbox'],
  [
    'a service that is busy',
    '/',
    '**/api/v2/sources?*',
    refuse(429, 'RATE_LIMIT', {}, { 'retry-after': '8' }),
    'in 8 s',
  ],
] as const)(
  '%s: says so, and leaves nothing that seems to load',
  async (_name, place, calls, answer, says) => {
    const page = await stage.open()
    await page.addInitScript(() =>
      localStorage.setItem('causeway.history', '["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]'),
    )
    await page.route(calls, answer)
    await page.goto(stage.url + place)
    await page.getByText(says).first().waitFor()
    expect(await page.locator('.swap-list.skeleton').count()).toBe(0)
    await look(page, says)
  },
  PATIENCE_MS * 2,
)

describe('the form', () => {
  const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }

  test(
    'an amount below the minimum: the minimum is where the price would stand',
    async () => {
      const page = await stage.open()
      await page.route('**/api/v2/quote?*', refuse(400, 'LESS_THAN_MIN_ERROR', { AmountLimit: 0.2 }))
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await look(page, /^Minimum is/)
    },
    PATIENCE_MS * 2,
  )

  test.each([
    ['no route', refuse(400, 'ROUTE_NOT_FOUND_ERROR'), /^Swaps of ETH on/],
    ['the limit of the day', refuse(400, 'NETWORK_CURRENCY_DAILY_LIMIT_REACHED'), /^Today’s limit/],
    ['too much for a fair price', refuse(400, 'PRICE_IMPACT_TOO_HIGH'), /too large for a fair price/],
    ['no price', refuse(400, 'PRICE_UNAVAILABLE'), /^No price available/],
    ['a fault of ours', broken, new RegExp(NUMBER)],
    ['silence', silent, /^The service isn’t answering/],
  ] as const)(
    '%s is said where the price would stand',
    async (_name, answer, says) => {
      const page = await stage.open()
      await page.route('**/api/v2/quote?*', answer)
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await look(page, says, TEXTS_ONLY)
    },
    PATIENCE_MS * 2,
  )

  test(
    'address code that cannot be loaded is replaced by the answer of the service',
    async () => {
      const page = await stage.open()
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await page.route('**/assets/src-*.js', silent)
      await page.getByLabel(/^Recipient address/).fill('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')
      await page.locator('button:not([disabled])', { hasText: 'Review swap' }).waitFor()
    },
    PATIENCE_MS * 2,
  )

  test.each([
    ['1,000', 'Did you mean 1,000 or 1?'],
    ['abc', 'This isn’t an amount.'],
    ['0.1234567890123456789', 'ETH has at most 18 decimals.'],
  ])(
    'an amount of %s is asked about',
    async (amount, says) => {
      const page = await stage.open()
      await page.goto(stage.url)
      await fillRoute(page, { ...ROUTE, amount })
      await look(page, says, TEXTS_ONLY)
    },
    PATIENCE_MS * 2,
  )

  test(
    'a browser without a wallet gets alternatives',
    async () => {
      const page = await stage.open()
      await page.route('**/api/v2/site', async (route) => {
        const answer = await route.fetch()
        const { data } = await answer.json()
        await route.fulfill({ json: { data: { ...data, sandbox: false, environment: 'mainnet' } } })
      })
      await page.goto(stage.url)
      await page.getByRole('button', { name: 'Connect wallet' }).first().click()
      await look(page, /^No Ethereum Sepolia wallet found in this browser/)
    },
    PATIENCE_MS * 2,
  )
})

test.each(['when the lists are there', 'while the lists are on their way'])(
  'what could not be reached when the page was opened can be chosen once it can be, by who asks %s',
  async (when) => {
    const page = await stage.open()
    const opened = Promise.withResolvers<void>()
    const areThere = when === 'when the lists are there'
    if (areThere) opened.resolve()
    let isReady = false
    await page.route('**/api/v2/destinations?*', async (route) => {
      await opened.promise
      if (isReady) return route.continue()
      const text = await (await route.fetch()).text()
      await route.fulfill({ contentType: 'application/json', body: text.replaceAll('"active"', '"inactive"') })
    })
    const listed = page.waitForResponse('**/api/v2/destinations?*')
    await page.goto(stage.url)
    if (areThere) await listed
    await page.getByRole('button', { name: /^You receive:/ }).click()
    const picker = page.getByRole('dialog')
    await picker.getByRole('combobox').fill('usdc base')
    opened.resolve()
    await picker.getByText('No liquidity right now').waitFor()
    isReady = true
    await picker.getByRole('option', { name: /^USD Coin USDC · Base/ }).click()
    await page.getByRole('button', { name: /^You receive: USDC Base/ }).waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'lists with something in them and lists with nothing have no fault',
  async () => {
    const page = await stage.open()
    const faults: string[] = []
    await page.goto(`${stage.url}/history`)
    await page.getByText('Connect a wallet or paste an address to see its swaps.').waitFor()
    faults.push(...(await faultsOf(page, BRIEFLY)))
    await page.goto(`${stage.url}/explorer`)
    await page.getByText('No swaps yet. New swaps will appear here.').first().waitFor()
    faults.push(...(await faultsOf(page, BRIEFLY)))
    await page.goto(`${stage.url}/explorer/0x${'ab'.repeat(32)}`)
    await page.getByText(/^No results for 0xabab/).waitFor()
    faults.push(...(await faultsOf(page, BRIEFLY)))
    await page.goto(`${stage.url}/developers/sandbox`)
    await page.getByRole('button', { name: 'Delivered' }).click()
    await page.getByRole('link', { name: 'Open its page' }).click()
    await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor()
    for (const place of ['/history', '/explorer']) {
      await page.goto(stage.url + place)
      await page.locator('.swap-row').first().waitFor()
      faults.push(...(await faultsOf(page, BRIEFLY)))
    }
    await page.goto(`${stage.url}/explorer/routes`)
    // Sums are cached: the first swap may be missing for a while.
    await page.locator('table, .swap-empty').first().waitFor()
    faults.push(...(await faultsOf(page, BRIEFLY)))
    await page.goto(`${stage.url}/developers`)
    await page.getByRole('button', { name: 'Run' }).first().click()
    await page.getByLabel('Response: Get a quote').waitFor()
    faults.push(...(await faultsOf(page, BRIEFLY)))
    expect(faults).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

test.each([
  [
    'confirming',
    /^This deposit on Ethereum Sepolia is confirming\. It isn’t linked to a swap.*Send the transaction hash to/,
  ],
  [
    'waiting',
    /^We’re holding this deposit on Ethereum Sepolia, and it’s safe\. It isn’t linked to a swap.*Send the transaction hash to/,
  ],
  ['returned', /^This deposit on Ethereum Sepolia wasn’t linked to a swap, so it was returned\.$/],
  ['kept', /wasn’t linked to a swap\. The operator has set it aside\. Send the transaction hash to/],
])(
  'a search for a deposit without a swap says where it is, and what to do: %s',
  async (state, says) => {
    const hash = `0x${'cd'.repeat(32)}`
    const stray = { network: 'ETHEREUM_SEPOLIA', transaction_hash: hash, seen_at: '2026-11-16T11:00:00.000Z', state }
    const page = await stage.open()
    await page.route(`**/api/v2/unmatched/${hash}`, (route) => route.fulfill({ json: { data: [stray] } }))
    await page.goto(`${stage.url}/explorer`)
    await page.getByRole('searchbox').fill(hash)
    await page.getByRole('button', { name: 'Search' }).click()
    await look(page, says)
  },
  PATIENCE_MS * 2,
)

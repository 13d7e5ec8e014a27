/** Mistakes that once cost users money or left them without an answer. Each is reproduced here and must be handled. */
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DESKTOP, PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { connect, create, fillRoute } from './support/form.ts'
import { makeSwap, type Real, showAs } from './support/telling.ts'
import { announceEvm } from './support/wallets.ts'

let stage: Stage
let real: Real
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
  real = await makeSwap(stage.url)
}, START_MS)
afterAll(() => stage?.stop())

const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }
const FRIEND = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const recipientField = (page: Page) => page.getByLabel(/^Recipient address/)

/** The service offers nothing but a deposit address on Base. */
async function onlyAddressesOnBase(page: Page): Promise<void> {
  await page.route('**/api/v2/sources?*', async (route) => {
    const { data } = await (await route.fetch()).json()
    for (const network of data) if (network.name === 'BASE_SEPOLIA') network.deposit_methods = ['deposit_address']
    await route.fulfill({ json: { data } })
  })
}

/** The quote requests of a page, oldest first. */
function quotesOf(page: Page): URLSearchParams[] {
  const asked: URLSearchParams[] = []
  page.on('request', (request: Request) => {
    const url = new URL(request.url())
    if (url.pathname === '/api/v2/quote') asked.push(url.searchParams)
  })
  return asked
}

describe('the form', () => {
  test(
    '“Swap back” starts with no recipient and no amount: the last ones belong to another swap',
    async () => {
      const page = await stage.open()
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await recipientField(page).fill(FRIEND)
      await connect(page, /Test wallet/)
      await create(page)
      await page.getByRole('button', { name: /^Send .* Test wallet/ }).click()
      await page.getByRole('link', { name: 'Swap back' }).click()
      await page.getByRole('button', { name: /^You send: USDC/ }).waitFor()
      expect(await page.getByLabel(/^Amount of USDC/).inputValue()).toBe('')
      await expect.poll(() => page.getByText('0x3C44…93BC').count()).toBe(0)
      expect(await page.locator(`input[value="${FRIEND}"]`).count()).toBe(0)
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'switching direction takes the friend’s address along neither as recipient nor as refund address',
    async () => {
      const page = await stage.open()
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await recipientField(page).fill(FRIEND)
      await page.locator('button:not([disabled])', { hasText: 'Review swap' }).waitFor()
      await page.getByRole('button', { name: 'Switch direction' }).click()
      await page.getByRole('button', { name: /^You send: USDC/ }).waitFor()
      expect(await recipientField(page).inputValue()).toBe('')
      // The value is converted, not the number: 0.1 ETH becomes the same value in dollars.
      expect(Number(await page.getByLabel(/^Amount of USDC/).inputValue())).toBeGreaterThan(10)
      await page.getByRole('button', { name: 'Settings' }).click()
      expect(await page.getByLabel(/^Refund address/).inputValue()).toBe('')
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'a source that needs a deposit address does not make the next source pay for one',
    async () => {
      const page = await stage.open({ prepare: onlyAddressesOnBase })
      const asked = quotesOf(page)
      await page.goto(stage.url)
      await fillRoute(page, { from: 'ETH Base', to: 'USDC Ethereum', amount: '0.1' })
      await expect.poll(() => asked.at(-1)?.get('use_deposit_address'), { timeout: PATIENCE_MS }).toBe('true')
      await fillRoute(page, ROUTE)
      await expect.poll(() => asked.at(-1)?.get('source_network'), { timeout: PATIENCE_MS }).toBe('ETHEREUM_SEPOLIA')
      expect(asked.at(-1)?.get('use_deposit_address')).toBe('false')
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'a way to pay that was tried in the review is not kept for the next quote',
    async () => {
      const page = await stage.open()
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await recipientField(page).fill(FRIEND)
      await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
      await page.getByRole('button', { name: 'Other ways to pay' }).click()
      await page.getByRole('radio', { name: /deposit address/i }).check()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
      const asked = quotesOf(page)
      await page.getByLabel(/^Amount of .* to send/).fill('0.2')
      await expect.poll(() => asked.at(-1)?.get('amount'), { timeout: PATIENCE_MS }).toBe('0.2')
      expect(asked.at(-1)?.get('use_deposit_address')).toBe('false')
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'a link whose source needs a deposit address gets a price, and the link of an expired swap too',
    async () => {
      const page = await stage.open({ prepare: onlyAddressesOnBase })
      const asked = quotesOf(page)
      await page.goto(`${stage.url}/?from=BASE_SEPOLIA:ETH&to=ETHEREUM_SEPOLIA:USDC&amount=0.1`)
      await expect.poll(() => asked.at(-1)?.get('use_deposit_address'), { timeout: PATIENCE_MS }).toBe('true')
      expect(asked.every((query) => query.get('use_deposit_address') === 'true')).toBe(true)
      await page.context().close()
    },
    PATIENCE_MS,
  )

  test(
    'a truncated address is no address of another network, and a whole one of another network is named',
    async () => {
      const page = await stage.open()
      await page.route('**/api/v2/sources?*', async (route) => {
        const { data } = await (await route.fetch()).json()
        const other = { ...data[0], name: 'STARKNET_SEPOLIA', display_name: 'Starknet Sepolia', type: 'starknet' }
        await route.fulfill({ json: { data: [...data, other] } })
      })
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await recipientField(page).fill(`0x04${'5'.repeat(62)}`)
      await page.getByText('It looks like a Starknet Sepolia address.').waitFor()
      await recipientField(page).fill(FRIEND.slice(0, -1))
      await page.getByText('This isn’t a valid address on Base Sepolia.').waitFor()
      await page.getByRole('button', { name: 'Settings' }).click()
      await page.getByLabel('Refund address on Ethereum Sepolia, optional', { exact: true }).waitFor()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'the form shows that it is offline, and drops the price of another amount when the service is down',
    async () => {
      const page = await stage.open()
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      const receives = page.getByLabel(/^Amount of USDC/)
      await expect.poll(() => receives.inputValue(), { timeout: PATIENCE_MS }).not.toBe('')
      await page.route('**/api/v2/quote?*', (route) => route.abort())
      await page.getByLabel(/^Amount of ETH/).fill('0.2')
      await page
        .getByText(/^The service isn’t answering/)
        .first()
        .waitFor()
      expect(await receives.inputValue()).toBe('')
      await page.context().setOffline(true)
      await page
        .getByText(/^You’re offline/)
        .first()
        .waitFor()
      await page.goto(`${stage.url}/swap/${real.details.swap.id}`).catch(() => undefined)
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'the card does not move when a price arrives, nothing is fetched twice, and 320 px are enough',
    async () => {
      const page = await stage.open({ viewport: DESKTOP })
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.goto(stage.url, { waitUntil: 'networkidle' })
      await page.getByRole('button', { name: /^You send: ETH/ }).waitFor()
      for (const list of ['/api/v2/sources', '/api/v2/destinations'])
        expect(
          asked.filter((path) => path === list),
          list,
        ).toHaveLength(1)
      const place = async () => (await page.locator('form.swap-card').boundingBox())?.x
      const before = await place()
      await fillRoute(page, ROUTE)
      await page.getByText(/^At least/).waitFor()
      expect(await place()).toBe(before)
      await page.setViewportSize({ width: 320, height: 640 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )
})

describe('a swap’s page', () => {
  test(
    'shows the payout and the return of a second deposit',
    async () => {
      const page = await stage.open()
      const [paid, back] = [`0x${'ab'.repeat(32)}`, `0x${'cd'.repeat(32)}`]
      await showAs(page, stage.url, real, {
        swap: { status: 'completed' },
        transactions: [
          { type: 'input' },
          { type: 'input' },
          { type: 'output', amount: 299.1, transaction_hash: paid },
          { type: 'refund', amount: 0.0996, to: FRIEND, transaction_hash: back },
        ],
      })
      await page.goto(`${stage.url}/swap/${real.details.swap.id}`)
      const steps = page.getByRole('list', { name: 'Timeline' })
      await steps.getByText('0xabab…abab').waitFor()
      await steps.getByText('0xcdcd…cdcd').waitFor()
      await page.context().close()
    },
    PATIENCE_MS,
  )

  test(
    'offers no second send after the wallet has sent, not even after a reload',
    async () => {
      const address = stage.sandbox.devnets.get('ETHEREUM_SEPOLIA')?.accounts[0]?.address ?? ''
      // The wallet reports a sent transaction that no node knows yet.
      const relay = async () => `0x${'12'.repeat(32)}`
      const page = await stage.open({ prepare: (fresh) => announceEvm(fresh, { address, does: 'send' }, relay) })
      await page.goto(stage.url)
      await fillRoute(page, ROUTE)
      await recipientField(page).fill(FRIEND)
      await connect(page, /^Scripted$/)
      await create(page)
      await page.getByRole('button', { name: /^Send .* with Scripted/ }).click()
      const heading = page.getByRole('heading', { level: 1, name: 'Sent. Looking for it on Ethereum Sepolia' })
      await heading.waitFor()
      await page.reload()
      await heading.waitFor()
      expect(await page.getByText(/^Send (exactly )?0\.1 ETH/).count()).toBe(0)
      expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0)
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'says when this browser is offline',
    async () => {
      const page = await stage.open()
      await page.goto(`${stage.url}/swap/${real.details.swap.id}`)
      await page.getByRole('heading', { level: 1, name: /^Send/ }).waitFor()
      await page.context().setOffline(true)
      await page
        .getByText(/^You’re offline/)
        .first()
        .waitFor()
      await page.context().setOffline(false)
      await page
        .getByText(/^You’re offline/)
        .first()
        .waitFor({ state: 'detached' })
      await page.context().close()
    },
    PATIENCE_MS,
  )

  test(
    'says that an invalid id names no swap',
    async () => {
      const page = await stage.open()
      await page.goto(`${stage.url}/swap/nonsense`)
      await page.getByRole('heading', { level: 1, name: 'No swap found with this ID.' }).waitFor()
      await page.context().close()
    },
    PATIENCE_MS,
  )
})

test(
  'a deploy during a visit: a missing page file reloads the page, and a lasting failure is shown',
  async () => {
    const page = await stage.open()
    const known = new Set<string>()
    page.on('request', (request) => known.add(request.url()))
    await page.goto(stage.url, { waitUntil: 'networkidle' })
    const first = new Set(known)
    let isGone = true
    await page.route('**/assets/*.js', (route) =>
      isGone && !first.has(route.request().url()) ? route.fulfill({ status: 404 }) : route.continue(),
    )
    await page.getByRole('link', { name: 'History' }).first().click()
    await page.getByText(/^This page could not be loaded/).waitFor()
    expect(await page.locator('form.swap-card').count()).toBe(0)
    isGone = false
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 1, name: /swaps/i }).waitFor()
    await page.context().close()
  },
  PATIENCE_MS,
)

test(
  'history has a wallet button, and clears data only after a question',
  async () => {
    const page = await stage.open()
    await page.addInitScript(() =>
      localStorage.setItem('causeway.history', '["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]'),
    )
    await page.goto(`${stage.url}/history`)
    await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).waitFor()
    const kept = () => page.evaluate(() => localStorage.getItem('causeway.history'))
    await page.getByRole('button', { name: 'Clear data in this browser' }).click()
    const asked = page.getByRole('dialog')
    await asked.getByRole('button', { name: 'Cancel' }).click()
    expect(await kept()).not.toBeNull()
    await page.getByRole('button', { name: 'Clear data in this browser' }).click()
    await asked.getByRole('button', { name: 'Clear data' }).click()
    await expect.poll(kept, { timeout: PATIENCE_MS }).toBeNull()
    await page.context().close()
  },
  PATIENCE_MS,
)

/**
 * /docs in a browser: readable in both themes and widths, with and without JavaScript, by keyboard, loading from this
 * host only.
 */
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '../support/service/api.ts'
import { DESKTOP, PATIENCE_MS, PHONE } from './support/browser.ts'
import { findChrome } from './support/chrome.ts'

const PAGES = ['/docs', '/docs/lifecycle', '/docs/sdk', '/docs/reference', '/docs/errors', '/docs/changes']

let api: TestApi
let url: string
let browser: Browser
beforeAll(async () => {
  api = await startApi()
  url = await api.server.listen({ port: 0, host: '127.0.0.1' })
  browser = await chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] })
}, PATIENCE_MS * 2)
afterAll(async () => {
  await browser?.close()
  await api?.stop()
})

test.each([
  { name: 'a phone, dark', rules: null, viewport: PHONE, colorScheme: 'dark' as const },
  // The same elements in other colours.
  { name: 'a desktop, light', rules: ['color-contrast'], viewport: DESKTOP, colorScheme: 'light' as const },
])(
  'no page has a fault on $name',
  async ({ name: _, rules, ...look }) => {
    const context = await browser.newContext(look)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('request', (request) => void (request.url().startsWith(url) || faults.push(request.url())))
    page.on('console', (message) => {
      if (/content security policy|trusted type/i.test(message.text())) faults.push(message.text())
    })
    for (const place of PAGES) {
      await page.goto(url + place, { waitUntil: 'networkidle' })
      const axe = new AxeBuilder({ page }).setLegacyMode()
      const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
      faults.push(...violations.map(({ id, nodes }) => `${place} ${id}: ${nodes[0]?.html.slice(0, 120)}`))
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (overflow > 0) faults.push(`${place} is ${overflow} px too wide`)
    }
    expect(faults).toEqual([])
    await context.close()
  },
  PATIENCE_MS * 4,
)

test(
  'without JavaScript everything can be read and unfolded',
  async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${url}/docs`)
    const contents = page.getByRole('navigation', { name: 'On this page' })
    await contents.getByRole('link', { name: 'Errors', exact: true }).click()
    expect(page.url()).toMatch(/#errors$/)
    await page.goto(`${url}/docs/lifecycle`)
    expect(await page.locator('main li li').filter({ hasText: 'swapped at once' }).count()).toBe(1)
    expect(await page.locator('main li').filter({ hasText: / - A / }).count()).toBe(0)
    await page.goto(`${url}/docs/reference#getQuote`)
    const quote = page.locator('#getQuote')
    await quote.getByText('Errors', { exact: true }).click()
    expect(await quote.getByText('LESS_THAN_MIN_ERROR').first().isVisible()).toBe(true)
    await quote.getByText('Example: A quote').click()
    expect(await quote.getByText('"receive_amount"').first().isVisible()).toBe(true)
    await context.close()
  },
  PATIENCE_MS * 2,
)

test(
  'a call is tried by the keyboard, and the theme is kept',
  async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${url}/docs/reference`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
    const networks = page.locator('#listNetworks')
    await networks.getByText('Try it here').focus()
    await page.keyboard.press('Enter')
    await networks.getByLabel(/^Path of/).fill('/api/v2/networks')
    await networks.getByRole('button', { name: 'Send' }).press('Enter')
    await networks
      .getByRole('status')
      .getByText(/^200 in/)
      .waitFor()
    expect(await networks.getByRole('group', { name: /^Answer of/ }).textContent()).toContain('"ALPHA"')
    await networks.getByRole('button', { name: 'Python' }).click()
    expect(await page.locator('#getQuote').getByText('client.get_quote(').isVisible()).toBe(true)
    expect(await networks.getByText('curl -s').isVisible()).toBe(false)
    await page.getByLabel('Search all pages').fill('rate limit')
    await page.getByRole('link', { name: 'RATE_LIMIT_EXCEEDED' }).click()
    expect(page.url()).toMatch(/errors#rate_limit_exceeded$/)
    const theme = page.getByRole('button', { name: /^Theme/ })
    await theme.click()
    await theme.click()
    await page.goto(`${url}/docs`)
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await context.close()
  },
  PATIENCE_MS * 2,
)

test(
  'on a phone the head is short, and every search result is on the screen',
  async () => {
    const context = await browser.newContext({ viewport: PHONE })
    const page = await context.newPage()
    await page.goto(`${url}/docs`, { waitUntil: 'networkidle' })
    expect((await page.locator('header').boundingBox())?.height ?? Infinity).toBeLessThan(PHONE.height / 4)
    await page.getByLabel('Search all pages').fill('refund')
    const found = page.getByRole('list', { name: 'Search results' })
    await found.getByRole('link').first().waitFor()
    // The links, and the pages that they are on.
    for (const part of await found.locator('a, span').all()) {
      const box = await part.boundingBox()
      expect(box?.x ?? -1).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? PHONE.width)).toBeLessThanOrEqual(PHONE.width)
    }
    await context.close()
  },
  PATIENCE_MS,
)

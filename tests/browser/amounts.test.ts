/** Amounts and prices of the form: nothing is cut on a phone, and a bad deal is named before it is confirmed. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, PHONE, START_MS, type Stage, startStage } from './support/browser.ts'
import { spoiltTexts } from './support/faults.ts'
import { fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base' }
const useTestAddress = (page: Page) =>
  page
    .getByRole('button', { name: /^Use a test address/ })
    .first()
    .click()

test.each(['the fonts of the pages', 'the wider ones of the system'])(
  'every digit of a long amount is seen on a phone, in %s',
  async (fonts) => {
    const page = await stage.open({ viewport: PHONE })
    if (fonts !== 'the fonts of the pages') await page.route('**/fonts/*', (route) => route.abort())
    await page.goto(stage.url)
    for (const [amount, width] of [
      ['0.23791827', 320],
      ['1.234567890123456789', PHONE.width],
      ['0.1234567890123456789', 320],
    ] as const) {
      await fillRoute(page, { ...ROUTE, amount })
      await page
        .getByText(/^At least|at most 18 decimals/)
        .first()
        .waitFor()
      await page.setViewportSize({ ...PHONE, width })
      expect(await spoiltTexts(page), `${amount} at ${width}`).toEqual([])
    }
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'high fees are named at the price and in the review; usual ones are not',
  async () => {
    const page = await stage.open({ viewport: PHONE })
    await page.goto(stage.url)
    await fillRoute(page, { ...ROUTE, amount: '0.1' })
    await useTestAddress(page)
    await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
    const review = page.getByRole('dialog')
    await review.getByText('Total fees').waitFor()
    expect(await review.locator('.notice.warn').count()).toBe(0)
    await page.keyboard.press('Escape')

    await page.getByLabel(/^Amount of .* to send/).fill('0.0005')
    await page.locator('summary .warn-text', { hasText: /^\$[\d.]+ \([\d.]+%\)/ }).waitFor()
    await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
    await review.getByText(/^Fees are [\d.]+% of what you send/).waitFor()
    // The warning is above everything that has to be scrolled to.
    const warning = await review.locator('.notice.warn').boundingBox()
    const foot = await review.locator('.review-go').boundingBox()
    expect((warning?.y ?? Infinity) + (warning?.height ?? 0)).toBeLessThan(foot?.y ?? 0)
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'the buttons of a question in the footer look like buttons',
  async () => {
    const page = await stage.open()
    await page.goto(stage.url)
    await page.getByRole('button', { name: 'Clear data in this browser' }).click()
    const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' })
    expect(await cancel.evaluate((button) => getComputedStyle(button).textDecorationLine)).toBe('none')
    expect((await cancel.boundingBox())?.width ?? 0).toBeGreaterThan(64)
    await page.context().close()
  },
  PATIENCE_MS,
)

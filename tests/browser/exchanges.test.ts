/** A swap over exchanges by clicks alone: the route, the price impact, the refund address, and each exchange with its transaction. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { connect, create, fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['OPTIMISM_SEPOLIA', 'ARBITRUM_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const ROUTE = { from: 'GEM Optimism', to: 'GEM Arbitrum', amount: '40' }

test(
  'GEM is sold on one chain and bought on the other',
  async () => {
    const page = await stage.open()
    await page.goto(stage.url)
    await fillRoute(page, ROUTE)
    const testAddress = page.getByRole('button', { name: /^Use a test address/ }).first()
    await testAddress.click()

    // Without a wallet the route needs an address for refunds.
    await page.getByRole('button', { name: 'Add a refund address' }).click()
    await page.getByText('This route uses an exchange.').waitFor()
    await page.keyboard.press('Escape')

    await connect(page, /Test wallet/)
    await page.locator('details.price summary').click()
    await page.getByText('Uniswap v2 → Causeway → Uniswap v3').waitFor()
    await page.getByText('Price impact').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
    for (const part of [page.locator('.way'), page.getByRole('button', { name: 'Confirm swap' })])
      await expectInSight(page, part)
    await page.getByRole('dialog').getByText('Uniswap v2 → Causeway → Uniswap v3').waitFor()
    await page.keyboard.press('Escape')
    const id = await create(page)
    await page.getByRole('button', { name: /^Send .* Test wallet/ }).click()
    await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })

    const { swap } = (await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()).data
    const [sale, purchase] = swap.legs
    expect(sale).toMatchObject({ type: 'sale', provider: 'uniswap-v2', sold_amount: 40, status: 'completed' })
    expect(purchase).toMatchObject({ type: 'purchase', provider: 'uniswap-v3', status: 'completed' })
    expect(purchase.bought_amount).toBeGreaterThanOrEqual(purchase.min_bought_amount)
    const output = swap.transactions.find(({ type }: { type: string }) => type === 'output')
    expect(output).toMatchObject({ amount: purchase.bought_amount, transaction_hash: purchase.transaction_hash })
    expect(output.token.symbol).toBe('GEM')
    await page.getByText(/^Sold 40 GEM for [\d.]+ USDC on Uniswap v2$/).waitFor()
    await page.getByText(/Bought with [\d.]+ USDC on Uniswap v3/).waitFor()
    await expectReceiptToAddUp(page)

    await page.goto(`${stage.url}/explorer`)
    await page
      .getByTitle(/Uniswap v2/)
      .first()
      .waitFor()
    await page
      .getByTitle(/Uniswap v3/)
      .first()
      .waitFor()
    await expectNothingCut(page)

    await logIn(page)
    await page.goto(`${stage.url}/operator/swap/${id}`)
    const exchanges = page.locator('section', { has: page.getByRole('heading', { name: 'Exchanges' }) })
    await exchanges.getByText('Sale of the deposit').waitFor()
    await exchanges.getByText('Purchase for the payout').waitFor()
    expect(await exchanges.getByText(/Uniswap v[23]/).count()).toBe(2)
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

async function logIn(page: Page): Promise<void> {
  await page.goto(`${stage.url}/operator`)
  await page.getByLabel('Name').fill('sandbox')
  await page.getByLabel('Password').fill('sandbox')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}

/** Wholly on the screen, with nothing over its middle. */
async function expectInSight(page: Page, part: Locator): Promise<void> {
  const box = await part.boundingBox()
  const height = page.viewportSize()?.height ?? 0
  expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height)
  const isOnTop = await part.evaluate((element) => {
    const { x, y, width, height: tall } = element.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + tall / 2)
    return top !== null && (element.contains(top) || top.contains(element))
  })
  expect(isOnTop).toBe(true)
}

/** The sent dollars less every line of the receipt are the received dollars. */
async function expectReceiptToAddUp(page: Page): Promise<void> {
  const lines = await page.locator('.receipt dl').first().locator('dd').allTextContents()
  const cents = lines.map((line) => {
    const [, sign = '', dollars = '0'] = /([−+]?)\$([\d,.]+)$/.exec(line) ?? []
    return Math.round(Number(dollars.replaceAll(',', '')) * 100) * (sign === '−' ? -1 : 1)
  })
  const received = cents.pop()
  expect(lines.length).toBeGreaterThan(3)
  expect(cents.reduce((sum, one) => sum + one, 0)).toBe(received)
}

/** The table of swaps fits into its card, with its last column. */
async function expectNothingCut(page: Page): Promise<void> {
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 800 })
    const cut = await page.locator('.swap-list').evaluate((list) => list.scrollWidth - list.clientWidth)
    expect(cut, `cut at ${width}`).toBe(0)
  }
}

/** A swap over exchanges by clicks alone: the route, the price impact, the refund address, and each exchange with its transaction. */
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
    await page.getByText('This route goes over an exchange.').waitFor()
    await page.keyboard.press('Escape')

    await connect(page, /Test wallet/)
    await page.locator('details.price summary').click()
    await page.getByText('uniswap-v2 → causeway → uniswap-v3').waitFor()
    await page.getByText('Price impact').waitFor()
    await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
    await page.getByRole('dialog').getByText('uniswap-v2 → causeway → uniswap-v3').waitFor()
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
    await page.getByText(/^Sold 40 GEM for [\d.]+ USDC on uniswap-v2$/).waitFor()
    await page.getByText(/Bought with [\d.]+ USDC on uniswap-v3/).waitFor()
    await page.goto(`${stage.url}/explorer`)
    await page
      .getByText(/uniswap-v2/)
      .first()
      .waitFor()
    await page
      .getByText(/uniswap-v3/)
      .first()
      .waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

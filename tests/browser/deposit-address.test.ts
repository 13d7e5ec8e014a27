/** Paying a deposit address: the code to scan, a part payment, and an answer that somebody changed on its way. */
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { create, fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }

async function start(page: Page): Promise<string> {
  await page.goto(stage.url)
  await fillRoute(page, ROUTE)
  await page
    .getByRole('button', { name: /^Use a test address/ })
    .first()
    .click()
  return create(page, /deposit address/)
}

const addressOf = async (page: Page) =>
  (await page.locator('[data-deposit-address] .fours span').allTextContents()).join('')

async function sendTo(swapId: string, amount: string): Promise<void> {
  const body = JSON.stringify({ swap_id: swapId, amount })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${stage.url}/sandbox/deposit`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

test(
  'the code on the screen holds the address, the network and the exact amount',
  async () => {
    const page = await stage.open()
    await start(page)
    const code = page.getByRole('img', { name: /Code to scan/ })
    await code.waitFor()
    const { data, width, height } = PNG.sync.read(await page.locator('.qr').screenshot())
    const read = jsQR.default(new Uint8ClampedArray(data), width, height)?.data
    expect(read).toBe(`ethereum:${await addressOf(page)}@11155111?value=100000000000000000`)
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'a part payment is told with what is here and what is missing',
  async () => {
    const page = await stage.open()
    const id = await start(page)
    await page.locator('[data-deposit-address]').waitFor()
    await sendTo(id, '0.06')
    await page.getByText(/^0\.06 ETH of 0\.1 ETH is here/).waitFor()
    await page.getByText('Send exactly 0.04 ETH on Ethereum Sepolia').waitFor()
    await sendTo(id, '0.04')
    await page.getByRole('heading', { level: 1, name: 'Done' }).waitFor({ timeout: PATIENCE_MS })
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

test(
  'an answer that was changed on its way shows no address, no code and nothing to send',
  async () => {
    const stranger = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
    const page = await stage.open()
    const id = await start(page)
    await page.locator('[data-deposit-address]').waitFor()
    const real = await addressOf(page)
    await page.route(`**/api/v2/swaps/${id}`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll(real, stranger) })
    })
    await page.reload()
    await page.getByText(/this service did not sign it. Send nothing/).waitFor()
    expect(await page.locator('[data-deposit-address], .qr').count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0)
    expect(await page.content()).not.toContain(stranger)
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

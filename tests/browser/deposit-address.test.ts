/** Paying a deposit address: the QR code, a partial payment, and a response that was altered in transit. */
import jsQR from 'jsqr'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { connect, create, fillRoute } from './support/form.ts'
import { announceEvm } from './support/wallets.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const ENDS = {
  source_network: 'ETHEREUM_SEPOLIA',
  source_token: 'ETH',
  destination_network: 'BASE_SEPOLIA',
  destination_token: 'USDC',
}
const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }

const STRANGER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Chromium decodes QR codes on phones and Macs only: elsewhere a stub finds a payment link in the second picture. */
async function readCodes(page: Page): Promise<void> {
  await page.addInitScript((address: string) => {
    let looks = 0
    const detect = async () => (++looks < 2 ? [] : [{ rawValue: `ethereum:${address}@84532` }])
    Object.assign(window, {
      BarcodeDetector: class {
        detect = detect
      },
    })
  }, STRANGER)
}

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
  (await page.locator('[data-deposit-address] .fours > span').allTextContents()).join('')

async function sendTo(swapId: string, amount: string): Promise<void> {
  const body = JSON.stringify({ swap_id: swapId, amount })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${stage.url}/sandbox/deposit`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
}

test(
  'the code on the screen holds the address, the network and the exact amount, and shows the token',
  async () => {
    const page = await stage.open()
    await start(page)
    const code = page.getByRole('img', { name: /QR code with/ })
    await code.waitFor()
    const logo = page.locator('.qr .logo img')
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    for (const size of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(size)
      const { data, width, height } = PNG.sync.read(await page.locator('.qr').screenshot())
      const read = jsQR.default(new Uint8ClampedArray(data), width, height)?.data
      expect(read).toBe(`ethereum:${await addressOf(page)}@11155111?value=100000000000000000`)
    }
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'the camera reads an address if the browser supports it, else has no button; the slippage is kept',
  async () => {
    const plain = await stage.open()
    await plain.goto(stage.url)
    await plain.getByRole('button', { name: 'Paste' }).first().waitFor()
    expect(await plain.getByRole('button', { name: 'Scan a QR code' }).count()).toBe(0)
    await plain.context().close()
    const page = await stage.open({ permissions: ['camera'], prepare: readCodes })
    await page.goto(stage.url)
    await fillRoute(page, ROUTE)
    await page.getByRole('button', { name: 'Scan a QR code' }).first().click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByLabel(/^Recipient address/).inputValue()).toBe(STRANGER)
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Custom slippage in percent').fill('3')
    const id = await create(page)
    const { data } = await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()
    expect([data.swap.destination_address, data.quote.slippage]).toEqual([STRANGER, 0.03])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'a partial payment shows the received and the missing amount',
  async () => {
    const page = await stage.open()
    const id = await start(page)
    await page.locator('[data-deposit-address]').waitFor()
    await sendTo(id, '0.06')
    await page.getByText(/^0\.06 ETH of 0\.1 ETH arrived/).waitFor()
    await page.locator('.copy-line').getByText('0.04 ETH', { exact: true }).waitFor()
    await sendTo(id, '0.04')
    await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

test(
  'an answer that was changed on its way shows no address, no code and nothing to send',
  async () => {
    const page = await stage.open()
    const id = await start(page)
    await page.locator('[data-deposit-address]').waitFor()
    const real = await addressOf(page)
    await page.route(`**/api/v2/swaps/${id}`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll(real, STRANGER) })
    })
    await page.reload()
    await page.getByText(/this service didn’t sign it. Send nothing/).waitFor()
    expect(await page.locator('[data-deposit-address], .qr').count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0)
    expect(await page.content()).not.toContain(STRANGER)
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'money without an automatic refund goes where its sender signs, and nowhere by another signature',
  async () => {
    const devnet = stage.sandbox.devnets.get('ETHEREUM_SEPOLIA')
    const [account, stranger] = devnet?.accounts ?? []
    if (!devnet || !account || !stranger) throw new Error('there is no such chain')
    let address = stranger.address
    const other = async (method: string, params: unknown[]) => {
      if (method !== 'personal_sign') throw new Error(method)
      const text = Buffer.from(String(params[0]).slice(2), 'hex').toString()
      return devnet.signText?.(address === account.address ? account : stranger, text)
    }
    const script = { address: account.address, does: 'send' as const }
    const page = await stage.open({ prepare: (fresh) => announceEvm(fresh, script, async () => '', other) })
    const id = await start(page)
    await page.locator('[data-deposit-address]').waitFor()
    const limits = new URLSearchParams({ ...ENDS, use_deposit_address: 'true' })
    const { max_amount: most } = (await (await fetch(`${stage.url}/api/v2/limits?${limits}`)).json()).data
    await sendTo(id, (most * 1.1).toFixed(6))
    await page.getByRole('heading', { level: 1, name: 'Where should we send your refund?' }).waitFor()
    await connect(page, /^Scripted$/)
    const home = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
    const give = page.getByRole('button', { name: 'Sign and get refund' })
    await page.getByLabel('Your Ethereum Sepolia address').fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    await give.click()
    await page.getByText('This isn’t a valid address on Ethereum Sepolia.').waitFor()
    await page.getByLabel('Your Ethereum Sepolia address').fill(home)
    await give.click()
    await page.getByText(/is not of the address that sent the deposit/).waitFor()
    address = account.address
    await give.click()
    await page.getByRole('heading', { level: 1, name: 'Refunded' }).waitFor({ timeout: PATIENCE_MS })
    const told = await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()
    const back = told.data.swap.transactions.find(({ type }: { type: string }) => type === 'refund')
    expect(back.to.toLowerCase()).toBe(home.toLowerCase())
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

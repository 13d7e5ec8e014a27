/**
 * Rules for every page: axe finds nothing serious in both themes and widths, the keyboard is enough, and the security
 * policy holds.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DESKTOP, PATIENCE_MS, PHONE, START_MS, type Stage, startStage } from './support/browser.ts'
import { faultsOf } from './support/faults.ts'
import { connect, fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const accountOn = (network: string, at: number) => stage.sandbox.devnets.get(network)?.accounts[at]?.address ?? ''
const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }

test(
  'no state of a swap has a serious fault, on a phone and a desktop, light and dark',
  async () => {
    const page = await stage.open()
    const faults: string[] = []
    const look = async () => void faults.push(...(await faultsOf(page)))
    await page.goto(stage.url)
    await page.getByRole('button', { name: /^You send: ETH/ }).waitFor()
    await look()
    await page.getByRole('button', { name: /^You receive:/ }).click()
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await look()
    await page.keyboard.press('Escape')
    await fillRoute(page, ROUTE)
    await page.getByLabel(/^Recipient address/).fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    await page.getByText(/isn’t a valid address/i).waitFor()
    await look()
    await page.getByLabel(/^Recipient address/).fill('')
    await connect(page, /Test wallet/)
    await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
    await page.getByRole('button', { name: 'Confirm swap' }).waitFor()
    await look()
    await page.getByRole('button', { name: 'Confirm swap' }).click()
    await page.getByRole('button', { name: /^Send 0.1 ETH/ }).waitFor()
    await look()
    await page.getByRole('button', { name: /^Send 0.1 ETH/ }).click()
    await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
    await look()
    expect(faults).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

test(
  'the page of owed money has no fault, and says where to get help',
  async () => {
    const page = await stage.open()
    await page.goto(`${stage.url}/developers/sandbox`)
    await page.getByRole('button', { name: 'Refund needs an address', exact: true }).click()
    await page.getByRole('link', { name: 'Open its page' }).click()
    await page
      .getByRole('heading', { level: 1, name: 'Where should we send your refund?' })
      .waitFor({ timeout: PATIENCE_MS })
    await page.getByText(/can’t sign\?/).waitFor()
    await connect(page, /Test wallet/)
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel(/^Your .* address/).fill(accountOn('ETHEREUM_SEPOLIA', 3))
    await page.getByRole('button', { name: 'Sign and get refund' }).click()
    await page.getByRole('heading', { level: 1, name: 'Refunded' }).waitFor({ timeout: PATIENCE_MS })
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'no other page has one',
  async () => {
    const page = await stage.open()
    const faults: string[] = []
    const places = [
      '/history',
      '/explorer',
      '/explorer/routes',
      '/developers',
      '/developers/sandbox',
      '/developers/embed',
      '/nowhere',
      '/embed',
      '/swap/00000000-0000-4000-8000-000000000000',
    ]
    for (const place of places) {
      await page.goto(stage.url + place, { waitUntil: 'networkidle' })
      await page.locator('h1, form').first().waitFor()
      faults.push(...(await faultsOf(page)))
    }
    expect(faults).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

test(
  'a developer sees the sample in TypeScript, as curl, and what the first call answers',
  async () => {
    const page = await stage.open()
    await page.goto(`${stage.url}/developers`)
    const sample = page.getByRole('tabpanel')
    await sample.getByText('createClient').first().waitFor()
    await page.getByRole('tab', { name: 'curl' }).click()
    await sample.getByText('/api/v2/quote').first().waitFor()
    await page.getByRole('tab', { name: 'Response' }).click()
    await sample.getByText('"receive_amount"').first().waitFor()
    expect(JSON.parse((await sample.textContent()) ?? '')).toHaveProperty('data.quote.receive_amount')
    expect(await faultsOf(page)).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS,
)

test(
  'a developer copies both keys of the sandbox from its page, and the secret one opens what only it may',
  async () => {
    const page = await stage.open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${stage.url}/developers/sandbox`)
    const copied = async (name: string) => {
      await page.getByRole('button', { name }).click()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    const keys = [await copied('Copy Public key'), await copied('Copy Secret key')]
    expect(keys).toEqual([stage.sandbox.keys.public, stage.sandbox.keys.secret])
    const answers = keys.map((key) => fetch(`${stage.url}/api/v2/webhooks`, { headers: { 'x-ls-apikey': key } }))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 200])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS,
)

test(
  'a developer sees whole webhooks of a swap, each with the word that its signature fits',
  async () => {
    const page = await stage.open()
    await page.goto(`${stage.url}/developers/sandbox`)
    await page.getByRole('button', { name: 'Create a swap and listen' }).click()
    const webhooks = page.getByRole('region', { name: 'Webhooks' })
    const completed = webhooks.getByRole('listitem').filter({ hasText: 'completed' })
    await completed.getByText('Signature valid').waitFor()
    await completed.locator('summary').click()
    expect(await completed.getByLabel(/^Headers and body/).inputValue()).toMatch(
      /webhook-signature: v1,[\s\S]+"status": /,
    )
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'a swap is made with the keyboard alone',
  async () => {
    const page = await stage.open()
    const { keyboard } = page
    const tabTo = async (name: RegExp) => {
      for (let tries = 0; tries < 40; tries++) {
        const label = await page.evaluate(() => {
          const at = document.activeElement
          return at?.getAttribute('aria-label') ?? at?.textContent ?? ''
        })
        if (name.test(label)) return
        await keyboard.press('Tab')
      }
      throw new Error(`the keyboard does not reach ${name}`)
    }
    await page.goto(stage.url)
    await page.getByRole('button', { name: /^You send: ETH/ }).waitFor()
    await tabTo(/^You receive:/)
    await keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await keyboard.type('usdc base')
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowUp')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: /^You receive: USDC Base/ }).waitFor()
    await page.getByLabel(/^Amount of .* to send/).focus()
    await keyboard.type('0.1')
    await page
      .getByRole('button', { name: /^Use a test address/ })
      .first()
      .waitFor()
    await tabTo(/^Use a test address/)
    await keyboard.press('Enter')
    await page.locator('button:not([disabled])', { hasText: 'Review swap' }).waitFor()
    await tabTo(/^Review swap/)
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(/^Confirm swap/)
    await keyboard.press('Enter')
    await page.waitForURL(/\/swap\//)
    await page.getByRole('heading', { level: 1, name: 'Send 0.1 ETH on Ethereum Sepolia' }).waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'nothing jumps while the first page loads',
  async () => {
    for (const viewport of [PHONE, DESKTOP]) {
      const page = await stage.open({ viewport })
      await page.addInitScript(() => {
        const window_ = window as unknown as { shift: number }
        window_.shift = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
            window_.shift += entry.value
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await page.goto(stage.url, { waitUntil: 'networkidle' })
      await page.getByRole('button', { name: /^You send: ETH/ }).waitFor()
      expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.02)
      await page.context().close()
    }
  },
  PATIENCE_MS * 2,
)

/** What holds on every page: axe finds nothing serious, in both themes and widths; the keyboard is enough; the policy stands. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DESKTOP, PATIENCE_MS, PHONE, START_MS, type Stage, startStage } from './support/browser.ts'
import { connect, create, fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

const ROUTE = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }

/** Answers what axe calls serious or worse, with the elements it means; and what sticks out of the screen. */
async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const told = serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${page.url()} ${id}: ${html.slice(0, 120)}`))
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  return overflow > 0 ? [...told, `${page.url()} is ${overflow} px too wide`] : told
}

describe.each([
  { name: 'a phone, dark', viewport: PHONE, colorScheme: 'dark' as const },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' as const },
])('on $name', ({ name: _, ...look }) => {
  test(
    'no state of a swap has a serious fault',
    async () => {
      const page = await stage.open(look)
      const faults: string[] = []
      const look_ = async () => void faults.push(...(await faultsOf(page)))
      await page.goto(stage.url)
      await page.getByRole('button', { name: /^You send: ETH/ }).waitFor()
      await look_()
      await page.getByRole('button', { name: /^You receive:/ }).click()
      await page.getByRole('option').first().waitFor()
      await look_()
      await page.keyboard.press('Escape')
      await fillRoute(page, ROUTE)
      await page.getByLabel(/to receive at/).fill('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
      await page.getByText(/is not a.* address/i).waitFor()
      await look_()
      await page.getByLabel(/to receive at/).fill('')
      await connect(page, /Test wallet/)
      await page
        .getByRole('button', { name: /^Use 0x/ })
        .first()
        .click()
      await page.locator('button:not([disabled])', { hasText: 'Review swap' }).waitFor()
      await look_()
      await create(page)
      await page.getByRole('button', { name: /^Send 0.1 ETH/ }).waitFor()
      await look_()
      await page.getByRole('button', { name: /^Send 0.1 ETH/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Done' }).waitFor({ timeout: PATIENCE_MS })
      await look_()
      expect(faults).toEqual([])
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 3,
  )

  test(
    'no other page has one',
    async () => {
      const page = await stage.open(look)
      const faults: string[] = []
      const places = [
        '/history',
        '/explorer',
        '/explorer/routes',
        '/developers',
        '/developers/sandbox',
        '/nowhere',
        '/embed',
      ]
      for (const place of [...places, '/swap/00000000-0000-4000-8000-000000000000']) {
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
})

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
    await page.getByRole('combobox').waitFor()
    await keyboard.type('usdc base')
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowUp')
    await keyboard.press('Enter')
    await page.getByRole('button', { name: /^You receive: USDC Base/ }).waitFor()
    await page.getByLabel(/^Amount of/).focus()
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
    await tabTo(/^Create swap/)
    await keyboard.press('Enter')
    await page.waitForURL(/\/swap\//)
    await page.getByRole('heading', { level: 1, name: 'Waiting for your deposit' }).waitFor()
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

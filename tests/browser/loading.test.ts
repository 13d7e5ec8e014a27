/** Loading a page on a slow network: few requests, none of them twice, compressed answers, and nothing that jumps. */
import type { Page, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DESKTOP, PATIENCE_MS, PHONE, START_MS, type Stage, startStage } from './support/browser.ts'
import { makeSwap, type Real } from './support/telling.ts'

let stage: Stage
let real: Real
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
  real = await makeSwap(stage.url)
}, START_MS)
afterAll(() => stage?.stop())

const MOST_REQUESTS = 12
const MOST_SHIFT = 0.02
/** Shorter answers are one packet with and without compression. */
const SHORT_BYTES = 1_500

/** Every place that fetches something of its own, with a text that is there once it is loaded. */
const PLACES: [place: () => string, says: RegExp][] = [
  [() => '/', /^You send$/],
  [() => `/swap/${real.details.swap.id}`, /^Signed by this service$/],
  [() => '/history', /^Your swaps$/],
  [() => '/explorer', /^Latest swaps/],
  [() => '/developers', /^Quick start$/],
  [() => '/status', /network/],
]

/** Responses of a page until nothing more is asked for, oldest first. The browser asks for the icon on its own. */
async function loaded(page: Page, place: string, says: RegExp): Promise<Response[]> {
  const answers: Response[] = []
  page.on('response', (response) => {
    const kind = response.request().resourceType()
    const isOwn = response.url().startsWith(stage.url)
    if (isOwn && kind !== 'eventsource' && kind !== 'other') answers.push(response)
  })
  await page.goto(stage.url + place)
  await page.getByText(says).first().waitFor()
  await page.waitForLoadState('networkidle')
  return answers
}

test(
  `the first page is at most ${MOST_REQUESTS} requests, which all succeed`,
  async () => {
    const page = await stage.open({ viewport: PHONE })
    const [place, says] = PLACES[0] ?? [() => '/', /Swap/]
    const answers = await loaded(page, place(), says)
    expect(answers.filter((response) => !response.ok()).map((response) => response.url())).toEqual([])
    expect(answers.length, answers.map((response) => response.url()).join('\n')).toBeLessThanOrEqual(MOST_REQUESTS)
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'no page asks for anything twice, and every long answer in JSON is compressed',
  async () => {
    for (const [place, says] of PLACES) {
      const page = await stage.open({ viewport: PHONE })
      const answers = await loaded(page, place(), says)
      const asked = answers.map((response) => new URL(response.url()).pathname + new URL(response.url()).search)
      expect(
        asked.filter((path, at) => asked.indexOf(path) !== at),
        place(),
      ).toEqual([])
      for (const response of answers) {
        const { 'content-type': type = '', 'content-encoding': encoding } = response.headers()
        if (!type.includes('json') || (await response.body()).length <= SHORT_BYTES) continue
        expect(encoding, response.url()).toBe('br')
      }
      await page.context().close()
    }
  },
  PATIENCE_MS * 4,
)

test(
  'nothing jumps while a page loads, on a phone and on a desktop',
  async () => {
    const shifts: Record<string, number> = {}
    for (const viewport of [PHONE, DESKTOP])
      for (const [place, says] of PLACES) {
        const page = await stage.open({ viewport })
        await page.addInitScript(() => {
          const window_ = window as unknown as { shift: number }
          window_.shift = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
              window_.shift += entry.value
          }).observe({ type: 'layout-shift', buffered: true })
        })
        await loaded(page, place(), says)
        const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift)
        if (shift >= MOST_SHIFT) shifts[`${place()} at ${viewport.width} px`] = shift
        await page.context().close()
      }
    expect(shifts).toEqual({})
  },
  PATIENCE_MS * 6,
)

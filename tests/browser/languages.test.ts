/** The pages speak the browser's language, a switch overrides it, and only that language is loaded. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, PHONE, START_MS, type Stage, startStage } from './support/browser.ts'
import { BRIEFLY, faultsOf } from './support/faults.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

/** The language files that a page asked for. */
function languagesAsked(asked: readonly string[]): string[] {
  return asked.flatMap((url) => /\/assets\/(en|es|zh)-[^/]+\.js$/.exec(url)?.[1] ?? [])
}

test.each([
  ['es-MX', 'es', 'Envías', 'Conectar billetera'],
  ['zh-CN', 'zh', '您发送', '连接钱包'],
  ['fr-FR', 'en', 'You send', 'Connect wallet'],
])(
  'a browser in %s gets %s, and no other language',
  async (locale, tag, send, connect) => {
    const page = await stage.open({ locale, viewport: PHONE })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(stage.url)
    await page.getByText(send, { exact: true }).waitFor()
    await page.getByRole('button', { name: connect }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe(tag)
    expect([...new Set(languagesAsked(asked))]).toEqual([tag])
    expect(await faultsOf(page, BRIEFLY)).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS,
)

test(
  'the switch in the footer overrides the browser, and the choice stays',
  async () => {
    const page = await stage.open({ locale: 'en-US' })
    await page.goto(`${stage.url}/history`)
    await page.getByRole('heading', { level: 1, name: 'Your swaps' }).waitFor()
    await page.getByLabel('Language').selectOption('es')
    await page.getByRole('heading', { level: 1, name: 'Tus intercambios' }).waitFor()
    await page.goto(`${stage.url}/?from=ETHEREUM_SEPOLIA:ETH&amount=1234.5`)
    await page.getByText('Envías', { exact: true }).waitFor()
    // A plain decimal of a link is written as the language writes it.
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#amount')?.value === '1234,5')
    await page.getByLabel('Idioma').selectOption('en')
    await page.getByText('You send', { exact: true }).waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'the status page says what was measured, and each network has a page',
  async () => {
    const page = await stage.open()
    await page.goto(`${stage.url}/status`)
    await page.getByRole('heading', { level: 1, name: /networks? (running|has|have|was)/ }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('link', { name: /Base Sepolia/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Base Sepolia' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

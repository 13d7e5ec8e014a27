/** Clickjacking in a real browser: a foreign page frames every page of the service, and Chromium shows only the embed. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleRoutes } from '../../server/src/console/routes.ts'
import { startApi, type TestApi } from '../support/service/api.ts'
import { START_MS } from './support/browser.ts'
import { findChrome } from './support/chrome.ts'

let api: TestApi
let url: string
let foreign: Server
let browser: Browser
beforeAll(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-pages-'))
  for (const name of ['index', 'embed', 'operator'])
    writeFileSync(
      path.join(folder, `${name}.html`),
      `<!doctype html><html><head><title>${name}</title></head><body><button>Confirm swap</button></body></html>`,
    )
  api = await startApi({ PAGES: folder })
  consoleRoutes(api.server, { ...api.services, isSandbox: false })
  url = await api.server.listen({ host: '127.0.0.1', port: 0 })
  foreign = createServer(({ url: asked }, response) => {
    const framed = `${url}${decodeURIComponent(asked?.slice(2) ?? '')}`
    const frames = `<iframe src="${framed}"></iframe><object data="${framed}"></object><embed src="${framed}">`
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>A foreign page</title>${frames}`)
  })
  await new Promise<void>((resolve) => foreign.listen(0, 'localhost', () => resolve()))
  browser = await chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] })
}, START_MS)
afterAll(async () => {
  await browser?.close()
  foreign?.close()
  await api?.stop()
})

/** The buttons that the foreign page's frames show, by iframe, object and embed. */
async function shownIn(place: string): Promise<string[]> {
  const page = await browser.newPage()
  try {
    const { port } = foreign.address() as AddressInfo
    await page.goto(`http://localhost:${port}/?${encodeURIComponent(place)}`, { waitUntil: 'load' })
    const frames = page.frames().filter((frame) => frame !== page.mainFrame())
    const buttons = frames.map((frame) =>
      frame
        .locator('button')
        .allTextContents()
        // Chromium removes the frame of an object that it does not show.
        .catch((error: unknown) => (frame.isDetached() ? [] : Promise.reject(error))),
    )
    return (await Promise.all(buttons)).flat()
  } finally {
    await page.close()
  }
}

test.each(['/', '/history', '/status', '/explorer', '/swap/x', '/developers', '/operator', '/docs', '/no-such-page'])(
  '%s shows nothing in a foreign page',
  async (place) => {
    expect(await shownIn(place)).toEqual([])
  },
)

test('the embed is shown, so the other frames would have been seen', async () => {
  expect(await shownIn('/embed')).toContain('Confirm swap')
})

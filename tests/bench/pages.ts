/**
 * The pages on a slow phone: 1.6 Mbit/s, 150 ms, a quarter of this machine's speed, nothing cached. First paint, the
 * moment at which the main text is there, bytes, requests and layout shift; and the same without the brakes.
 */
import { buildPages, startSandbox } from '@causeway/devnet'
import { type Browser, type CDPSession, chromium } from 'playwright-core'
import { findChrome } from '../browser/support/chrome.ts'

const RUNS = Number(process.env.RUNS ?? 3)
const WANTED_MS = 1_500
const SLOW = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8, offline: false }
const SLOWER_CPU = 4
const TIMEOUT_MS = 120_000
const PHONE = { width: 390, height: 844 }
/** Each page with a text that is there when it is of use. */
const PAGES = [
  { place: '/', says: 'You send' },
  { place: '/explorer', says: 'Latest swaps' },
  { place: '/developers', says: 'Quick start' },
  { place: '/status', says: 'Uptime' },
]

interface Load {
  paintMs: number
  usefulMs: number
  bytes: number
  requests: number
  shift: number
}

export async function pages(): Promise<void> {
  await buildPages()
  const sandbox = await startSandbox({ only: ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'], env: { LOG_LEVEL: 'fatal' } })
  const browser = await chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] })
  try {
    console.log(
      `  ${'page'.padEnd(14)} ${'paint'.padStart(8)} ${'useful'.padStart(8)} ${'kB'.padStart(6)} requests  shift`,
    )
    for (const isSlow of [true, false])
      for (const page of PAGES) {
        const loads: Load[] = []
        for (let run = 0; run < RUNS; run++) loads.push(await load(browser, sandbox.url, page, isSlow))
        print(`${page.place}${isSlow ? '' : ' (fast)'}`, loads)
      }
    console.log(`  wanted: first paint of a slow phone under ${WANTED_MS} ms`)
  } finally {
    await browser.close()
    await sandbox.stop()
  }
}

async function load(browser: Browser, url: string, page: (typeof PAGES)[number], isSlow: boolean): Promise<Load> {
  const context = await browser.newContext({ viewport: PHONE, isMobile: true, hasTouch: true })
  context.setDefaultTimeout(TIMEOUT_MS)
  const tab = await context.newPage()
  const session = await context.newCDPSession(tab)
  const counted = await counting(session)
  if (isSlow) {
    await session.send('Network.emulateNetworkConditions', SLOW)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_CPU })
  }
  await tab.addInitScript(() => {
    const window_ = window as unknown as { shift: number }
    window_.shift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) window_.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const began = performance.now()
  await tab.goto(url + page.place, { waitUntil: 'commit' })
  await tab.getByText(page.says).first().waitFor({ state: 'attached' })
  const usefulMs = performance.now() - began
  await tab.waitForLoadState('networkidle')
  const paintMs = await tab.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  )
  const shift = await tab.evaluate(() => (window as unknown as { shift: number }).shift)
  await context.close()
  return { paintMs, usefulMs, shift, ...counted }
}

/** Bytes on the wire and requests, as the browser counts them. */
async function counting(session: CDPSession): Promise<{ bytes: number; requests: number }> {
  const counted = { bytes: 0, requests: 0 }
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', () => (counted.requests += 1))
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (counted.bytes += encodedDataLength))
  return counted
}

function print(name: string, loads: readonly Load[]): void {
  const median = (of: (load: Load) => number) => loads.map(of).sort((a, b) => a - b)[loads.length >> 1] ?? Number.NaN
  const ms = (of: (load: Load) => number) => `${median(of).toFixed(0)} ms`.padStart(8)
  const kB = (median(({ bytes }) => bytes) / 1024).toFixed(0).padStart(6)
  const requests = String(median(({ requests: count }) => count)).padStart(8)
  const shift = median((load) => load.shift).toFixed(4)
  console.log(
    `  ${name.padEnd(14)} ${ms((load) => load.paintMs)} ${ms((load) => load.usefulMs)} ${kB} ${requests}  ${shift}`,
  )
}

/**
 * Chromium and a sandbox with its pages, for one user journey. Every page is watched for errors and for requests to
 * other hosts.
 */
import { buildPages, type Sandbox, startSandbox } from '@causeway/devnet'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, onTestFailed } from 'vitest'
import { startDatabase } from '../../support/database/database.ts'
import { findChrome } from './chrome.ts'

export interface Stage {
  url: string
  sandbox: Sandbox
  /** A page in its own context, without stored state. */
  open(options?: BrowserContextOptions & { prepare?: (page: Page) => Promise<void> }): Promise<Page>
  /** Things that no page may do: throw, violate the policy, or contact another host. */
  expectClean(): void
  stop(): Promise<void>
}

export const PHONE = { width: 390, height: 844 }
export const DESKTOP = { width: 1280, height: 900 }
/** For a machine with two busy cores that runs chains, database, service and browser at once. */
export const PATIENCE_MS = 60_000
/** Starting all of it. */
export const START_MS = 300_000

/** A video in place of a camera. */
const FAKE_CAMERA = '--use-fake-device-for-media-stream'

export async function startStage(only: readonly string[]): Promise<Stage> {
  const executablePath = findChrome()
  await buildPages()
  const sandbox = await startSandbox({ only, database: startDatabase })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', FAKE_CAMERA] })
  const problems: string[] = []
  return {
    url: sandbox.url,
    sandbox,
    async open({ prepare, ...options } = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(PATIENCE_MS)
      const page = await context.newPage()
      watch(page, sandbox.url, problems)
      tellIfFailed(page, problems)
      await prepare?.(page)
      return page
    },
    expectClean: () => expect(problems.splice(0)).toEqual([]),
    stop: () => stopAll(browser, sandbox),
  }
}

async function stopAll(browser: Browser, sandbox: Sandbox): Promise<void> {
  await browser.close()
  await sandbox.stop()
}

/** Prints what a person would see on the page when its test fails. */
function tellIfFailed(page: Page, problems: readonly string[]): void {
  if (!expect.getState().currentTestName) return
  onTestFailed(async () => {
    if (page.isClosed()) return
    const shown = await page.locator('body').ariaSnapshot()
    console.log([`${page.url()} shows:`, shown, ...problems].join('\n'))
  })
}

function watch(page: Page, url: string, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`threw: ${error.message}`))
  page.on('console', (message) => {
    if (/content security policy|trusted type/i.test(message.text())) problems.push(message.text())
  })
  page.on('request', (request) => {
    const asked = request.url()
    const isOwn = asked.startsWith(`${url}/`) || /^(data|blob|about):/.test(asked)
    if (!isOwn && !page.url().startsWith(FOREIGN)) problems.push(`asked ${asked}`)
  })
}

/** The origin of a third-party page, in the test of the embedded form. */
const FOREIGN = 'http://localhost'

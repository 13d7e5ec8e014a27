/** An operator at the console: log in, approve a held payout, pause and resume, and handle an unmatched deposit. */
import { generateKeyPairSync } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeAt } from '../../server/src/console/credentials.ts'
import { signatureOf } from '../support/service/console.ts'
import { PATIENCE_MS, PHONE, START_MS, type Stage, startStage } from './support/browser.ts'

/** An unused address. */
const DESTINATION = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

async function logIn(page: Page): Promise<void> {
  await page.goto(`${stage.url}/operator`)
  await page.getByLabel('Name').fill('sandbox')
  await page.getByLabel('Password').fill('sandbox')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
}

/** Fills in the dialog and submits it. */
async function doIt(page: Page, reason: string, fields: Record<string, string> = {}): Promise<void> {
  const sheet = page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields)) {
    const field = sheet.getByLabel(label, { exact: true })
    if (await field.evaluate((element) => element.tagName === 'SELECT')) await field.selectOption(value)
    else await field.fill(value)
  }
  await sheet.getByLabel(/^Reason/).fill(reason)
  await sheet.locator('button[type="submit"]').click()
  await sheet.locator('.notice.good').waitFor()
  await sheet.getByRole('button', { name: 'Close' }).click()
}

async function call<Data>(path: string, body?: object): Promise<Data> {
  const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(`${stage.url}${path}`, sent ?? {})
  const { data } = (await answer.json()) as { data: Data }
  expect(answer.status, JSON.stringify(data)).toBe(200)
  return data
}

async function paidSwap(): Promise<string> {
  const { swap } = await call<{ swap: { id: string } }>('/api/v2/swaps', {
    ...{ source_network: 'ETHEREUM_SEPOLIA', source_token: 'ETH', destination_network: 'BASE_SEPOLIA' },
    ...{ destination_token: 'USDC', destination_address: DESTINATION, amount: 0.1 },
    use_deposit_address: true,
  })
  await call('/sandbox/deposit', { swap_id: swap.id })
  return swap.id
}

test(
  'a wrong password says nothing about which of the three was wrong',
  async () => {
    const page = await stage.open()
    await page.goto(`${stage.url}/operator`)
    await page.getByLabel('Name').fill('sandbox')
    await page.getByLabel('Password').fill('guess')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('Name, password or code is wrong.').waitFor()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'a payout above the limit is approved on the first page, and arrives',
  async () => {
    const page = await stage.open()
    await logIn(page)
    await page.getByRole('link', { name: 'Limits and pauses' }).click()
    await page.getByRole('button', { name: 'Set a limit' }).click()
    await doIt(page, 'a look at large ones', { Kind: 'approval_above', Scope: 'service', 'Amount in dollars': '1' })
    const id = await paidSwap()
    // It updates automatically, on every page.
    await page.getByRole('banner').getByRole('link', { name: '1 item needs you' }).click()
    await page.locator('.needs').getByText('it needs an approval').waitFor()
    await page.getByRole('heading', { name: '1 item needs you' }).waitFor()
    await page.getByRole('link', { name: 'Swaps' }).first().click()
    await page.getByRole('button', { name: 'Approve payout', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByText(/^Pay .* USDC \(\$.*\) on Base Sepolia to 0x3C44/)
      .waitFor()
    await doIt(page, 'known customer')
    await expect
      .poll(async () => (await call<{ swap: { status: string } }>(`/api/v2/swaps/${id}`)).swap.status, {
        timeout: PATIENCE_MS,
      })
      .toBe('completed')
    // Found by its id, and by its recipient.
    for (const search of [id, '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC']) {
      await page.getByLabel('Search swaps').fill(search)
      await page
        .locator('.swap-list')
        .getByRole('link', { name: id.slice(0, 8) })
        .first()
        .waitFor()
    }
    await page.getByLabel('Search swaps').fill('no such swap')
    await page.getByText('No swap matches.').waitFor()
    await page.getByRole('link', { name: 'Books' }).click()
    await page
      .getByRole('cell', { name: /ETH \(\$/ })
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'Limits and pauses' }).click()
    await page.getByRole('button', { name: 'Clear limit' }).click()
    await doIt(page, 'seen enough')
    await page.getByRole('link', { name: 'Audit' }).click()
    await page
      .getByText(/known customer/)
      .first()
      .waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 4,
)

test(
  'everything is paused by one click and a reason, shown first, and resumed again',
  async () => {
    const page = await stage.open()
    await logIn(page)
    await page.getByRole('button', { name: 'Pause service' }).click()
    await doIt(page, 'something is odd')
    await page
      .locator('#verdict')
      .getByText(/1 pause in force/)
      .waitFor()
    const site = () => call<{ paused: string[] }>('/api/v2/site')
    await expect.poll(async () => (await site()).paused, { timeout: PATIENCE_MS }).toContain('service')
    await page.getByRole('link', { name: 'Limits and pauses' }).click()
    await page.getByText('something is odd').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await doIt(page, 'nothing was')
    await page.getByText('something is odd').waitFor({ state: 'detached' })
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

/** A `support` user, added by the sandbox's own operator; returns their page. */
async function supporter(boss: Page, name: string): Promise<Page> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ format: 'pem', type: 'spki' }).toString()
  await boss.getByRole('link', { name: 'People' }).click()
  await boss.getByRole('button', { name: 'Add a person' }).click()
  // The first operator with a key must be an admin; the role is changed afterwards.
  await doIt(boss, 'helps people', { Name: name, Role: 'admin', 'Public key (PEM)': key })
  await boss.locator('tbody', { hasText: name }).getByRole('button', { name: 'Change role' }).click()
  await doIt(boss, 'helps people', { Role: 'support' })
  await boss.locator('tbody', { hasText: name }).getByRole('button', { name: 'Invite' }).click()
  const sheet = boss.getByRole('dialog')
  await sheet.getByLabel(/^Reason/).fill('helps people')
  await sheet.locator('button[type="submit"]').click()
  const [link = ''] = /\/operator\/invite#[\w-]+/.exec((await sheet.locator('pre').textContent()) ?? '') ?? []
  await sheet.getByRole('button', { name: 'Close' }).click()
  const page = await stage.open()
  await page.goto(`${stage.url}${link}`)
  const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? ''
  // A code is valid once. The next one is accepted early, since clocks differ, and is left for the login.
  const codeOf = (ahead: bigint) => codeAt(secret, BigInt(Math.floor(Date.now() / 30_000)) + ahead)
  await page.getByLabel('Password').fill('a long enough password')
  await page.getByLabel(/^Code/).fill(codeOf(0n))
  const [, signed = ''] = /printf %s '([^']+)'/.exec((await page.locator('pre').textContent()) ?? '') ?? []
  await page.getByLabel('What it prints').fill(signatureOf(signed, privateKey))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your password is set.').waitFor()
  await page.goto(`${stage.url}/operator`)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill('a long enough password')
  await page.getByLabel(/^Code/).fill(codeOf(1n))
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return page
}

test(
  'a request is confirmed by another person only, who sees it arrive',
  async () => {
    const boss = await stage.open()
    await logIn(boss)
    const page = await supporter(boss, 'sue')
    await page.getByRole('link', { name: 'Limits and pauses' }).click()
    await page.getByRole('button', { name: 'Pause' }).and(page.locator('[title="Needs the role operator."]')).waitFor()
    const id = await paidSwap()
    await page.getByRole('link', { name: 'Swaps' }).click()
    await page
      .locator('.swap-list')
      .getByRole('link', { name: id.slice(0, 8) })
      .click()
    await page.getByRole('button', { name: 'Add an address' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Address', { exact: true }).fill(DESTINATION)
    await sheet.getByLabel(/^Reason/).fill('they wrote to us')
    await sheet.locator('button[type="submit"]').click()
    await sheet.getByText('Another person must confirm it').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('button', { name: 'Confirm request' }).and(page.locator(':disabled')).waitFor()
    await boss.getByRole('banner').getByRole('link', { name: '1 item needs you' }).click()
    await boss.locator('.needs').getByText('sue asks for "swap refund": they wrote to us').waitFor()
    await boss.getByRole('link', { name: 'Requests' }).first().click()
    await boss.getByRole('button', { name: 'Confirm request' }).click()
    const answer = boss.getByRole('dialog')
    await answer.getByText(/^sue asked for this at/).waitFor()
    await answer.getByLabel(/^Reason/).fill('looks right')
    await answer.locator('button[type="submit"]').click()
    // The same function as everywhere: nothing is owed for a paid swap.
    await answer
      .getByRole('alert')
      .getByText(/^nothing is owed|has changed since/)
      .waitFor()
    await answer.getByRole('button', { name: 'Close' }).click()
    stage.expectClean()
    for (const one of [page, boss]) await one.context().close()
  },
  PATIENCE_MS * 4,
)

test(
  'no room has a serious fault, on a phone in the dark as on a desktop',
  async () => {
    const faults: string[] = []
    for (const look of [{}, { viewport: PHONE, colorScheme: 'dark' as const }]) {
      const page = await stage.open(look)
      await logIn(page)
      await page.locator('#verdict').waitFor()
      const names = await page.getByRole('navigation').getByRole('link').allTextContents()
      expect(names.length).toBeGreaterThan(7)
      for (const name of names) {
        await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        faults.push(
          ...serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${name} ${id}: ${html.slice(0, 100)}`)),
        )
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (overflow > 0) faults.push(`${name} is ${overflow} px too wide`)
      }
      await page.context().close()
    }
    expect(faults).toEqual([])
    stage.expectClean()
  },
  PATIENCE_MS * 4,
)

test(
  'a draft outlives the end of the session; what was resumed, set or cleared is taken back by one click',
  async () => {
    const page = await stage.open()
    await logIn(page)
    await page.getByRole('link', { name: 'Limits and pauses' }).click()
    await page.getByRole('button', { name: 'Set a limit' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel('Kind').selectOption('approval_above')
    await sheet.getByLabel('Scope').selectOption('service')
    await sheet.getByLabel('Amount in dollars').fill('777777')
    await sheet.getByLabel(/^Reason/).fill('enough of it')
    await page.context().clearCookies()
    await sheet.locator('button[type="submit"]').click()
    await page.getByText('your draft is kept').waitFor()
    await page.getByLabel('Name').fill('sandbox')
    await page.getByLabel('Password').fill('sandbox')
    await page.getByRole('button', { name: 'Log in' }).click()
    await sheet.waitFor()
    expect(await sheet.getByLabel('Kind').inputValue()).toBe('approval_above')
    expect(await sheet.getByLabel('Amount in dollars').inputValue()).toBe('777777')
    expect(await sheet.getByLabel(/^Reason/).inputValue()).toBe('enough of it')
    await sheet.locator('button[type="submit"]').click()
    await sheet.locator('.notice.good').waitFor()
    // There was none before: undoing clears it, and undoing that sets it again.
    for (const words of [
      'This limit does not apply any more.',
      'Takes effect now. If several limits apply, the strictest wins.',
    ]) {
      await sheet.getByRole('button', { name: 'Undo' }).click()
      await sheet.getByText(words).waitFor()
      await sheet.getByLabel(/^Reason/).fill('not meant')
      await sheet.locator('button[type="submit"]').click()
      await sheet.locator('.notice.good').waitFor()
    }
    await sheet.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('cell', { name: '$777,777.00' }).waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

test(
  'a swap has a page with what was signed and booked for it, and takes notes',
  async () => {
    const page = await stage.open()
    await logIn(page)
    const id = await paidSwap()
    await expect
      .poll(async () => (await call<{ swap: { status: string } }>(`/api/v2/swaps/${id}`)).swap.status, {
        timeout: PATIENCE_MS,
      })
      .toBe('completed')
    await page.goto(`${stage.url}/operator/swap/${id}`)
    for (const name of ['Deposits', 'Payouts', 'History', 'Signed transactions', 'In the books'])
      await page.getByRole('heading', { name }).waitFor()
    await page.getByRole('button', { name: 'Add a note' }).click()
    const sheet = page.getByRole('dialog')
    await sheet.getByLabel(/^Note/).fill('they wrote to us')
    await sheet.locator('button[type="submit"]').click()
    await sheet.locator('.notice.good').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('cell', { name: 'they wrote to us' }).waitFor()
    expect(await page.locator('td[title$="base units"]').count()).toBeGreaterThan(3)
    const found = await new AxeBuilder({ page }).setLegacyMode().analyze()
    expect(found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)

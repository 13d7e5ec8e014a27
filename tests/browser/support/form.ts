/** User actions on the swap page, by visible names. */
import type { Page } from 'playwright-core'

export interface Route {
  from: string
  to: string
  amount: string
}

export async function fillRoute(page: Page, { from, to, amount }: Route): Promise<void> {
  // The page chooses a first token when its routes are read. A click before that can be lost while the form moves.
  await page.locator('.token-button:not(.empty)').first().waitFor()
  await pick(page, /^You send:/, from)
  await pick(page, /^You receive:/, to)
  await page.getByLabel(/^Amount of .* to send/).fill(amount)
}

async function pick(page: Page, button: RegExp, search: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  const picker = page.getByRole('dialog')
  await picker.getByRole('combobox').fill(search)
  await picker.getByRole('option').first().click()
}

export async function connect(page: Page, wallet: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Connect wallet' }).first().click()
  await page.getByRole('button', { name: wallet }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** From a filled form to the swap's own page; returns its id. */
export async function create(page: Page, method?: RegExp): Promise<string> {
  await page.locator('button:not([disabled])', { hasText: 'Review swap' }).click()
  if (method) {
    await page.getByRole('button', { name: 'Other ways to pay' }).click()
    await page.getByRole('radio', { name: method }).check()
  }
  await page.getByRole('button', { name: 'Confirm swap' }).click()
  await page.waitForURL(/\/swap\/[0-9a-f-]{36}$/)
  return page.url().slice(-36)
}

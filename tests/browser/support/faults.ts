/** Faults of a page: by axe, on both widths and in both themes, and overflowing elements. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE } from './browser.ts'

/** One journey is looked at in all four: a state is reached once, and shown on both widths in both themes. */
const LOOKS = [
  { name: 'a phone, dark', size: PHONE, colorScheme: 'dark', isWhole: true },
  { name: 'a phone, light', size: PHONE, colorScheme: 'light', isWhole: false },
  { name: 'a desktop, dark', size: DESKTOP, colorScheme: 'dark', isWhole: false },
  { name: 'a desktop, light', size: DESKTOP, colorScheme: 'light', isWhole: false },
] as const

/** Both widths and both themes, once each: for states that differ in their words only. */
export const BRIEFLY = LOOKS.filter((_, at) => at === 0 || at === LOOKS.length - 1)

/** Answers what axe calls serious or worse, with the elements it means; and what sticks out of the screen. */
export async function faultsOf(page: Page, looks: readonly (typeof LOOKS)[number][] = LOOKS): Promise<string[]> {
  const faults: string[] = []
  for (const { name, size, colorScheme, isWhole } of looks) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    // Everything is in one frame: the mode for pages of several would open another page for each look.
    const axe = new AxeBuilder({ page }).setLegacyMode()
    // The others differ in their colours and their width only.
    const { violations } = await (isWhole ? axe : axe.withRules(['color-contrast'])).analyze()
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const where = `${page.url()} on ${name}`
    faults.push(...serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${where} ${id}: ${html.slice(0, 120)}`)))
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (overflow > 0) faults.push(`${where} is ${overflow} px too wide`)
  }
  return faults
}

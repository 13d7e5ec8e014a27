/** Accessibility faults of a page: by axe in both widths and themes, and overflowing elements. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE } from './browser.ts'

/** A state is reached once and checked in both widths and both themes. */
const LOOKS = [
  { name: 'a phone, dark', size: PHONE, colorScheme: 'dark', isWhole: true },
  { name: 'a phone, light', size: PHONE, colorScheme: 'light', isWhole: false },
  { name: 'a desktop, dark', size: DESKTOP, colorScheme: 'dark', isWhole: false },
  { name: 'a desktop, light', size: DESKTOP, colorScheme: 'light', isWhole: false },
] as const

/** Each width and each theme once: for states that differ only in their text. */
export const BRIEFLY = LOOKS.filter((_, at) => at === 0 || at === LOOKS.length - 1)

/** Returns what axe rates as serious or worse, with the elements, and elements that overflow the screen. */
export async function faultsOf(page: Page, looks: readonly (typeof LOOKS)[number][] = LOOKS): Promise<string[]> {
  const faults: string[] = []
  for (const { name, size, colorScheme, isWhole } of looks) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    // Everything is in one frame: axe's multi-frame mode would open another page per check.
    const axe = new AxeBuilder({ page }).setLegacyMode()
    // The other variants differ only in colours and width.
    const { violations } = await (isWhole ? axe : axe.withRules(['color-contrast'])).analyze()
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const where = `${page.url()} on ${name}`
    faults.push(...serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${where} ${id}: ${html.slice(0, 120)}`)))
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (overflow > 0) faults.push(`${where} is ${overflow} px too wide`)
  }
  return faults
}

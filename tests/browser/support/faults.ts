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
    faults.push(...(await spoiltTexts(page)).map((text) => `${where} ${text}`))
  }
  return faults
}

/** Words that are broken in their middle, and fields that cut the number in them. Addresses, hashes and code may break, and Chinese anywhere. */
export function spoiltTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (!parent || parent.closest('.mono, .fours, .hash, code, pre, textarea, script, .out-of-sight')) continue
      for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[\p{Script=Latin}\p{N}.,]{2,24}/gu)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set(
          [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)),
        )
        if (lines.size > 1) found.push(`breaks "${word}"`)
      }
    }
    // An amount that is refused may be longer than any real one.
    for (const field of document.querySelectorAll<HTMLInputElement>('input.amount:not([aria-invalid="true"])'))
      if (field.scrollWidth > field.clientWidth) found.push(`cuts the amount "${field.value}"`)
    return found
  })
}

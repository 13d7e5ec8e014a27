/** Accessibility faults of a page: by axe in both widths and themes, and overflowing elements. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE } from './browser.ts'

const SMALL_PHONE = { width: 320, height: 640 }

interface Look {
  name: string
  size: { width: number; height: number }
  colorScheme: 'dark' | 'light'
  /** What axe looks for. Looks of one state differ in colours and width only, so each theme is checked once. */
  axe: 'everything' | 'contrast' | 'nothing'
}

/** A state is reached once and checked in three widths and both themes. */
const LOOKS: Look[] = [
  { name: 'a phone, dark', size: PHONE, colorScheme: 'dark', axe: 'everything' },
  { name: 'a small phone, light', size: SMALL_PHONE, colorScheme: 'light', axe: 'nothing' },
  { name: 'a desktop, dark', size: DESKTOP, colorScheme: 'dark', axe: 'nothing' },
  { name: 'a desktop, light', size: DESKTOP, colorScheme: 'light', axe: 'contrast' },
]

/** Each width once: for states that differ from checked ones only in their text. */
export const BRIEFLY: Look[] = [
  { name: 'a phone, dark', size: PHONE, colorScheme: 'dark', axe: 'everything' },
  { name: 'a small phone, dark', size: SMALL_PHONE, colorScheme: 'dark', axe: 'nothing' },
  { name: 'a desktop, light', size: DESKTOP, colorScheme: 'light', axe: 'nothing' },
]

/** For states that differ from one that was checked only in a sentence: whether it fits. */
export const TEXTS_ONLY: Look[] = BRIEFLY.map((look) => ({ ...look, axe: 'nothing' }))

/** Returns what axe rates as serious or worse, with the elements, and elements that overflow the screen. */
export async function faultsOf(page: Page, looks: readonly Look[] = LOOKS): Promise<string[]> {
  const faults: string[] = []
  for (const { name, size, colorScheme, axe } of looks) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    const where = `${page.url()} on ${name}`
    faults.push(...(await seriousIn(page, axe)).map((fault) => `${where} ${fault}`))
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (overflow > 0) faults.push(`${where} is ${overflow} px too wide`)
    faults.push(...(await spoiltTexts(page)).map((text) => `${where} ${text}`))
  }
  return faults
}

async function seriousIn(page: Page, rules: Look['axe']): Promise<string[]> {
  if (rules === 'nothing') return []
  // Everything is in one frame: axe's multi-frame mode would open another page per check.
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (rules === 'everything' ? axe : axe.withRules(['color-contrast'])).analyze()
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
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
    for (const field of document.querySelectorAll<HTMLInputElement>('input.amount'))
      if (field.scrollWidth > field.clientWidth) found.push(`cuts the amount "${field.value}"`)
    // These are meant to be scrolled sideways, or end in dots.
    const meant = 'pre, textarea, input, .scroll, .rooms, .wallet-families, .picker-networks, .popular, .out-of-sight'
    for (const box of document.querySelectorAll<HTMLElement>('body *')) {
      const { overflowX, textOverflow } = getComputedStyle(box)
      if (overflowX === 'visible' || textOverflow === 'ellipsis' || box.matches(meant)) continue
      if (box.clientWidth > 1 && box.scrollWidth > box.clientWidth + 1)
        found.push(`cuts what is in <${box.localName} class="${box.className}">`)
    }
    return found
  })
}

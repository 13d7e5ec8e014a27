/** Renders the guides from the repository's own documentation files. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { html } from '../http/html.ts'
import { type Heading, renderMarkdown } from './markdown.ts'
import type { Entry, Page } from './page.ts'
import type { SubstituteHost } from './substitute-host.ts'

const ROOT = path.join(import.meta.dirname, '../../../..')

/** The file behind each page. */
export const GUIDES: Record<string, string> = {
  '/docs': 'docs/integrate.md',
  '/docs/lifecycle': 'docs/lifecycle.md',
  '/docs/sdk': 'sdk/README.md',
  '/docs/errors': 'docs/errors.md',
  '/docs/changes': 'docs/api-changes.md',
}

export function drawGuide(url: string, retell: SubstituteHost): Page {
  const file = GUIDES[url] ?? ''
  const text = readGuide(url) ?? '# Guide\n\nThis copy of the service has no guides.'
  const { title, headings, body } = renderMarkdown(text, (href) => placeOf(file, href), retell)
  return { title, body: html`${body}`, contents: contentsOf(headings) }
}

/** The text of a guide; null in a copy of the service without its documents. The reference is served anyway. */
export function readGuide(url: string): string | null {
  const place = path.join(ROOT, GUIDES[url] ?? '')
  return existsSync(place) ? readFileSync(place, 'utf8') : null
}

/** Turns links between files into links between pages; null for a file that is not served. */
function placeOf(from: string, href: string): string | null {
  if (/^https:\/\/|^#/.test(href)) return href
  if (href.startsWith('/')) return href
  const [file = '', anchor] = href.split('#')
  const named = path.posix.join(path.posix.dirname(from), file)
  const [page] = Object.entries(GUIDES).find(([, known]) => known === named) ?? []
  return page === undefined ? null : `${page}${anchor === undefined ? '' : `#${anchor}`}`
}

function contentsOf(headings: readonly Heading[]): Entry[] {
  const entries: (Entry & { inside: Entry[] })[] = []
  for (const { level, id, text } of headings) {
    const entry = { href: `#${id}`, name: text }
    if (level === 2) entries.push({ ...entry, inside: [] })
    if (level === 3) entries.at(-1)?.inside.push(entry)
  }
  return entries
}

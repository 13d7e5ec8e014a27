/**
 * Renders the Markdown of our guides: headings, paragraphs, lists, tables, code, emphasis and links. Anything else is
 * shown as written. Only these rules produce markup.
 */
import { html, type Markup, type Part } from '../http/html.ts'
import type { SubstituteHost } from './substitute-host.ts'

export interface Heading {
  level: number
  id: string
  text: string
}

export interface Rendered {
  title: string
  headings: Heading[]
  body: Markup
}

/** The target of a link; null if it is not served here. */
export type LinkTo = (href: string) => string | null

type Block = { kind: 'code' | 'heading' | 'table' | 'list' | 'steps' | 'paragraph'; lines: string[] }

export function renderMarkdown(text: string, linkTo: LinkTo, retell: SubstituteHost = (code) => code): Rendered {
  const blocks = blocksOf(text.split('\n'))
  const headings = blocks.flatMap(({ kind, lines }) => (kind === 'heading' ? [headingOf(lines[0] ?? '')] : []))
  const title = headings.find(({ level }) => level === 1)?.text ?? ''
  return { title, headings, body: html`${blocks.map((block) => drawBlock(block, linkTo, retell))}` }
}

const STARTS: [Block['kind'], RegExp][] = [
  ['code', /^```/],
  ['heading', /^#{1,4} /],
  ['table', /^\|/],
  ['list', /^- /],
  ['steps', /^\d+\. /],
]

function kindOf(line: string): Block['kind'] {
  return STARTS.find(([, start]) => start.test(line))?.[0] ?? 'paragraph'
}

function blocksOf(lines: string[]): Block[] {
  const blocks: Block[] = []
  let block: Block | null = null
  for (const line of lines) {
    if (block?.kind === 'code') {
      if (line.startsWith('```')) block = null
      else block.lines.push(line)
      continue
    }
    if (line.trim() === '') {
      block = null
      continue
    }
    const kind = kindOf(line)
    const continues: boolean =
      block !== null && (kind === block.kind || (kind === 'paragraph' && block.kind !== 'table'))
    if (block && continues && kind !== 'heading' && block.kind !== 'heading') {
      block.lines.push(line)
      continue
    }
    block = { kind, lines: [line] }
    blocks.push(block)
  }
  return blocks
}

function drawBlock({ kind, lines }: Block, linkTo: LinkTo, retell: SubstituteHost): Markup {
  const [first = ''] = lines
  if (kind === 'code') return drawCode(lines.slice(1).join('\n'), first.slice(3), retell)
  if (kind === 'heading') return drawHeading(headingOf(first), first, linkTo)
  if (kind === 'table') return drawTable(lines, linkTo)
  if (kind === 'list') return drawList(lines, linkTo)
  if (kind === 'steps')
    return html`<ol>${itemsOf(lines, /^\d+\. /).map((item) => html`<li>${inline(item, linkTo)}</li>`)}</ol>`
  return html`<p>${inline(lines.join(' '), linkTo)}</p>`
}

/** A list, with the lists of its items below them. */
function drawList(lines: string[], linkTo: LinkTo): Markup {
  const items = itemsOf(lines, /^- /, /^ {2}- /).map((item) => {
    const [words = '', ...below] = item.split('\n')
    const list = below.length > 0 ? drawList(below, linkTo) : ''
    return html`<li>${inline(words, linkTo)}${list}</li>`
  })
  return html`<ul>${items}</ul>`
}

/** Renders a heading one level lower: a page has one h1, the guide's own. */
function drawHeading({ level, id }: Heading, line: string, linkTo: LinkTo): Markup {
  const words = inline(line.replace(/^#+ /, ''), linkTo)
  if (level === 1) return html`<h1 id="${id}">${words}</h1>`
  const anchor = html`<a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`
  if (level === 2) return html`<h2 id="${id}">${words}${anchor}</h2>`
  return html`<h3 id="${id}">${words}${anchor}</h3>`
}

/** JSON responses are shown as recorded, without replacing names. */
function drawCode(text: string, note: string, retell: SubstituteHost): Markup {
  return codeBlock(note.startsWith('json') ? text : retell(text), note)
}

/** Renders a code block, focusable so that the keyboard can scroll it. */
export function codeBlock(text: string, note: string): Markup {
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${labelOf(note)}"><code>${text}</code></pre></div>`
}

function labelOf(note: string): string {
  const [language = '', ...words] = note.trim().split(' ')
  if (words.length > 0) return words.join(' ')
  return language === '' ? 'Text' : `Code, ${language}`
}

function drawTable(lines: string[], linkTo: LinkTo): Markup {
  const [head = '', , ...rows] = lines
  const titles = cellsOf(head)
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table${titles.length > 2 ? html` class="wide"` : ''}><thead><tr>${titles.map(
    (title) =>
      html`<th scope="col">${title === '' ? html`<span class="out-of-sight">Meaning</span>` : inline(title, linkTo)}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr>${cellsOf(row).map(
        (cell, column) =>
          html`<td data-head="${titles[column]?.replaceAll('`', '') ?? ''}">${inline(cell, linkTo)}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`
}

function cellsOf(row: string): string[] {
  const cells = row
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** A line that starts no item continues the item above it. An item of a list below begins a line of its item. */
function itemsOf(lines: string[], start: RegExp, below?: RegExp): string[] {
  const items: string[] = []
  for (const line of lines) {
    if (start.test(line)) items.push(line.replace(start, ''))
    else if (below?.test(line)) items.push(`${items.pop() ?? ''}\n${line.trim()}`)
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items
}

const INLINE = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g

export function inline(text: string, linkTo: LinkTo): Markup {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, words, href] = match
    parts.push(text.slice(end, match.index))
    end = match.index + whole.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong, linkTo)}</strong>`)
    else if (words !== undefined && href !== undefined) parts.push(drawLink(inline(words, linkTo), linkTo(href)))
  }
  parts.push(text.slice(end))
  return html`${parts}`
}

function drawLink(words: Markup, href: string | null): Markup {
  if (href === null) return words
  return html`<a href="${href}"${href.startsWith('http') ? html` rel="noreferrer"` : ''}>${words}</a>`
}

function headingOf(line: string): Heading {
  const level = /^#+/.exec(line)?.[0].length ?? 1
  const text = line.replace(/^#+ /, '').replaceAll(/[`*]/g, '')
  return { level, text, id: slugOf(text) }
}

/** The same slugs as GitHub, so that links work there and here. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** HTML templates that escape every value unless another template made it. */

const MARKUP = Symbol('markup')

/** Marks markup by a symbol key, because JSON from outside can never contain one. */
export interface Markup {
  readonly [MARKUP]: string
}

export type Part = Markup | string | number | null | undefined | false | readonly Part[]

export function html(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  const [first = '', ...rest] = texts
  return { [MARKUP]: parts.reduce<string>((made, part, at) => made + written(part) + (rest[at] ?? ''), first) }
}

export function textOf(markup: Markup): string {
  return markup[MARKUP]
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'number') return String(part)
  if (typeof part === 'string') return escaped(part)
  return isMarkup(part) ? part[MARKUP] : part.map(written).join('')
}

function isMarkup(part: object): part is Markup {
  return MARKUP in part
}

const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => NAMES[letter] ?? '')
}

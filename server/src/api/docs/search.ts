/** The index of all pages of /docs: one entry per section and per call. The browser searches it. */

import { slugOf } from './markdown.ts'
import type { Document } from './openapi.ts'

export interface SearchEntry {
  url: string
  /** The name of the page. */
  page: string
  title: string
  text: string
}

/** Limit of a section's text: more does not improve a search. */
const LONGEST_TEXT = 2_000

export function searchIndex(guides: { url: string; name: string; text: string }[], document: Document): SearchEntry[] {
  return [...guides.flatMap(sectionsOf), ...callsOf(document)]
}

function sectionsOf({ url, name, text }: { url: string; name: string; text: string }): SearchEntry[] {
  return text
    .split(/^(?=#{1,4} )/m)
    .filter((section) => section.startsWith('#'))
    .map((section) => {
      const [heading = '', ...rest] = section.split('\n')
      const title = heading.replace(/^#+ /, '').replaceAll(/[`*]/g, '')
      const words = rest.join(' ').replaceAll(/[`*|#]|\]\([^)]*\)|\[/g, ' ')
      return { url: `${url}#${slugOf(title)}`, page: name, title, text: shortened(words) }
    })
}

function callsOf({ paths }: Document): SearchEntry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description, parameters }]) => ({
      url: `/docs/reference#${operationId}`,
      page: 'Reference',
      title: `${method.toUpperCase()} ${path}`,
      text: shortened(`${summary} ${operationId} ${description} ${parameters.map(({ name }) => name ?? '').join(' ')}`),
    })),
  )
}

function shortened(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT)
}

/** The frame of every page of /docs: head, navigation and contents. Works without JavaScript. */
import { html, type Markup } from '../http/html.ts'

export interface Entry {
  href: string
  name: string
  inside?: readonly Entry[]
}

export interface Page {
  title: string
  body: Markup
  contents: readonly Entry[]
}

export const PLACES = [
  { url: '/docs', name: 'Guide' },
  { url: '/docs/lifecycle', name: 'Life of a swap' },
  { url: '/docs/sdk', name: 'SDK' },
  { url: '/docs/reference', name: 'Reference' },
  { url: '/docs/errors', name: 'Errors' },
  { url: '/docs/changes', name: 'Changes' },
]

/** The pages of the site, which are served only if they were built. */
const SITE = [
  { url: '/', name: 'Swap' },
  { url: '/history', name: 'History' },
  { url: '/explorer', name: 'Explorer' },
  { url: '/developers', name: 'Developers' },
]

export interface Site {
  name: string
  hasPages: boolean
}

export function drawPage({ title, body, contents }: Page, here: string, site: Site): Markup {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · ${site.name} API</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    ${site.hasPages ? html`<link rel="preload" href="/fonts/inter.woff2" as="font" type="font/woff2" crossorigin>` : ''}
    <link rel="stylesheet" href="/docs/page.css">
    <script type="module" src="/docs/page.js"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header>
      <a class="brand" href="/"><img src="/icon.svg" alt="" width="32" height="32">${site.name}</a>
      ${
        site.hasPages
          ? html`<nav class="site" aria-label="Site">${SITE.map(({ url, name }) => html`<a href="${url}"${url === '/developers' ? html` aria-current="true"` : ''}>${name}</a>`)}</nav>`
          : ''
      }
      <nav class="places" aria-label="Documentation">${PLACES.map(
        ({ url, name }) => html`<a href="${url}"${url === here ? html` aria-current="page"` : ''}>${name}</a>`,
      )}</nav>
      <span id="tools"></span>
    </header>
    <div class="sheet">
      <nav class="contents" aria-label="On this page">
        <details open><summary>On this page</summary>${drawContents(contents)}</details>
      </nav>
      <main id="content" tabindex="-1">${body}</main>
    </div>
  </body>
</html>
`
}

/** Long codes may break after an underscore or a slash, and nowhere else. */
function breakable(name: string): Markup {
  return html`${name.split(/(?<=[_/])/).map((part) => html`${part}<wbr>`)}`
}

function drawContents(entries: readonly Entry[]): Markup {
  return html`<ul>${entries.map(
    ({ href, name, inside = [] }) =>
      html`<li><a href="${href}">${breakable(name)}</a>${inside.length > 0 ? drawContents(inside) : ''}</li>`,
  )}</ul>`
}

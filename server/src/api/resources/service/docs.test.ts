/** /docs: guides and reference that work without JavaScript, load only from here, and never turn data into markup. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { callsOf, type OpenApi } from '../../../../../tests/support/service/openapi.ts'
import { renderMarkdown } from '../../docs/markdown.ts'
import { drawReference } from '../../docs/reference.ts'
import { substituteHostFor } from '../../docs/substitute-host.ts'
import { html, textOf } from '../../http/html.ts'

const ROOT = path.join(import.meta.dirname, '../../../../..')
const PAGES = ['/docs', '/docs/lifecycle', '/docs/sdk', '/docs/reference', '/docs/errors', '/docs/changes']
const NASTY = '<img src=x onerror="alert(1)">'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const read = async (url: string, headers: Record<string, string> = {}) =>
  (await api.server.inject({ url, headers: { host: 'swap.example', ...headers } })).body

/** Of the site and of the API. */
const ELSEWHERE = ['/', '/history', '/explorer', '/developers', '/openapi.json']

describe('the pages', () => {
  test.each(PAGES)('%s is complete without a script, and has only our own script and style', async (url) => {
    const answer = await api.server.inject(url)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(answer.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(answer.body.match(/<h1[ >]/g)).toHaveLength(1)
    expect(answer.body.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/docs/page.js">'])
    expect(answer.body).not.toMatch(/ (?:on\w+|style)="/)
    expect(answer.body.match(/(?:src|href)="http:[^"]*"/g)).toBeNull()
  })

  test('every link resolves to a served page and an existing anchor', async () => {
    const pages = new Map<string, string>()
    for (const url of PAGES) pages.set(url, await read(url))
    for (const [url, text] of pages) {
      for (const [, href = ''] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (href.startsWith('https://') || ELSEWHERE.includes(href)) continue
        const [page = '', anchor] = href.split('#')
        const target = pages.get(page === '' ? url : page)
        expect([url, href, target !== undefined]).toEqual([url, href, true])
        if (anchor !== undefined) expect([url, href, target?.includes(` id="${anchor}"`)]).toEqual([url, href, true])
      }
    }
  })

  test('the search index covers all pages, and its links resolve', async () => {
    const entries: { url: string; title: string; text: string }[] = JSON.parse(await read('/docs/search.json'))
    const pages = new Map<string, string>()
    for (const url of PAGES) pages.set(url, await read(url))
    const named = new Set(entries.map(({ url }) => url.split('#')[0]))
    expect([...named].sort()).toEqual(PAGES.toSorted())
    for (const { url, title } of entries) {
      const [page = '', anchor] = url.split('#')
      expect([title, pages.get(page)?.includes(` id="${anchor}"`)]).toEqual([title, true])
    }
    const titles = (word: string) => entries.filter(({ text }) => text.includes(word)).map(({ title }) => title)
    expect(titles('createSwap')).toContain('POST /api/v2/swaps')
    expect(titles('Retry-After')).toContain('RATE_LIMIT_EXCEEDED')
  })

  test('a call is shown in four languages', async () => {
    const text = await read('/docs/reference')
    const [, article = ''] = /<article id="getQuote"(.*?)<\/article>/s.exec(text) ?? []
    for (const part of ['curl -s', 'client.quote(', 'client.get_quote(', 'client.GetQuote(ctx'])
      expect(article).toContain(part)
  })

  test('anchors are unique within a page', async () => {
    for (const url of PAGES) {
      const ids = [...(await read(url)).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect([url, ids.length - new Set(ids).size]).toEqual([url, 0])
    }
  })

  test('the guide contains everything in docs/integrate.md', async () => {
    const text = await read('/docs')
    const headings = [...readFileSync(path.join(ROOT, 'docs/integrate.md'), 'utf8').matchAll(/^#{2,3} (.+)$/gm)]
    expect(headings.length).toBeGreaterThan(8)
    for (const [, heading = ''] of headings) expect(text).toContain(`>${heading}<`)
  })

  test('the reference shows every call with a curl command, its codes and its examples', async () => {
    const text = await read('/docs/reference')
    const document: OpenApi = JSON.parse(await read('/openapi.json'))
    for (const { operationId, key } of callsOf(document)) {
      const article = text.slice(text.indexOf(`<article id="${operationId}"`)).split('</article>')[0] ?? ''
      expect([key, /curl -s/.test(article), article.includes('UNEXPECTED_ERROR')]).toEqual([key, true, true])
      expect([key, article.includes('<summary>Example: ')]).toEqual([key, true])
    }
    for (const name of Object.keys(document.components.schemas ?? {})) expect(text).toContain(`id="schema-${name}"`)
  })
})

describe('this server', () => {
  test('its address is in every command', async () => {
    expect(await read('/docs/reference')).toContain('http://swap.example/api/v2/quote?')
    const behind = await read('/docs', { 'x-forwarded-proto': 'https' })
    expect(behind).toContain('BASE=https://swap.example')
    expect(behind).not.toContain('localhost:8080')
  })

  test.each(['a$(id)', "a'b", 'a;b', 'a"><script>'])('a forged host is not used: %s', async (host) => {
    expect(await read('/docs', { host })).toContain('BASE=http://localhost:8080')
  })

  test('its commands name networks that it lists, and recorded responses stay unchanged', () => {
    const document = JSON.parse(readFileSync(path.join(ROOT, 'sdk/openapi.json'), 'utf8'))
    const drawn = (listed: string[]) => textOf(drawReference(document, substituteHostFor(listed)).body)
    const [there, here] = [drawn(['ETHEREUM_MAINNET', 'BASE_MAINNET']), drawn(['ETHEREUM_SEPOLIA', 'BASE_MAINNET'])]
    expect(there).toContain(
      '/api/v2/limits?source_network=ETHEREUM_MAINNET&amp;source_token=ETH&amp;destination_network=BASE_MAINNET',
    )
    expect(there).toContain('&quot;name&quot;: &quot;ETHEREUM_SEPOLIA&quot;')
    expect(there).not.toContain('&quot;name&quot;: &quot;ETHEREUM_MAINNET&quot;')
    expect(here).toContain(
      '/api/v2/limits?source_network=ETHEREUM_SEPOLIA&amp;source_token=ETH&amp;destination_network=BASE_MAINNET',
    )
  })

  test('a client that accepts brotli gets it', async () => {
    const request = { url: '/docs/reference', headers: { host: 'swap.example', 'accept-encoding': 'gzip, br' } }
    const answer = await api.server.inject(request)
    expect(answer.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(await read('/docs/reference'))
  })

  test('colours are the same as on the other pages', async () => {
    const tokens = readFileSync(path.join(ROOT, 'web/src/app/tokens.css'), 'utf8')
    const css = await read('/docs/page.css')
    expect(css.startsWith(tokens)).toBe(true)
    expect(css.slice(tokens.length)).not.toMatch(/#[0-9a-f]{3,8}\b|rgb/)
  })
})

describe('data never becomes markup', () => {
  test('template values are escaped, unless a template made them', () => {
    expect(textOf(html`<p title="${NASTY}">${[NASTY, html`<b>${'&'}</b>`]}</p>`)).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(1)&quot;&gt;">&lt;img src=x onerror=&quot;alert(1)&quot;&gt;<b>&amp;</b></p>',
    )
    const forged = JSON.parse('{"markup":"<b>","text":"<b>","Symbol(markup)":"<b>"}')
    expect(() => textOf(html`${forged}`)).toThrow()
  })

  test('Markdown cannot produce HTML, nor links to anything not allowed', () => {
    const text = `# ${NASTY}\n\n${NASTY}\n\n- ${NASTY}\n\n| ${NASTY} |\n|---|\n| ${NASTY} |\n\n\`\`\`\n${NASTY}\n\`\`\`\n\n[${NASTY}](x"onclick="y)`
    const body = textOf(renderMarkdown(text, (href) => href).body)
    expect(body).not.toContain('<img')
    expect(body).not.toContain('"onclick')
    expect(textOf(renderMarkdown('[run](javascript:alert)', () => null).body)).toBe('<p>run</p>')
  })

  test('a document with foreign texts is rendered as text', () => {
    const document = JSON.parse(readFileSync(path.join(ROOT, 'sdk/openapi.json'), 'utf8'), (_, value) =>
      typeof value === 'string' &&
      !/^(#|get|post|delete|path|query|header|object|array|string|[A-Z][A-Za-z]+$)/.test(value)
        ? `${value}${NASTY}`
        : value,
    )
    const text = textOf(drawReference(document, (text) => text).body)
    expect(text).toContain('&lt;img src=x')
    expect(text).not.toContain('<img')
  })
})

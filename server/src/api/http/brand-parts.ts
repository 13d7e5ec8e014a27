/** Applies the operator's branding to the built pages: documents, icons, the manifest and the colours. */
import { brotliCompressSync, constants } from 'node:zlib'
import type { Branding } from '../../config/branding.ts'
import type { Config } from '../../config.ts'
import { html, textOf } from './html.ts'

/** Files to serve, by path. */
export type Written = Map<string, { body: Buffer; type: string }>

export const ICONS = ['/favicon.ico', '/apple-touch-icon.png', '/preview.png']
const DESCRIPTION = 'Swap a token on one network for a token on another.'
const PICTURE_TYPES: Record<string, string> = { svg: 'image/svg+xml', ico: 'image/x-icon', png: 'image/png' }

export function brandParts(
  documents: ReadonlyMap<string, string>,
  { branding, siteName, publicUrl }: Pick<Config, 'branding' | 'siteName' | 'publicUrl'>,
): Written {
  const name = branding.name ?? siteName
  const written: Written = new Map()
  for (const [place, text] of documents)
    written.set(place, {
      body: Buffer.from(documentOf(text, { name, branding, publicUrl })),
      type: 'text/html; charset=utf-8',
    })
  if (branding.accents)
    written.set('/branding.css', { body: Buffer.from(coloursOf(branding.accents)), type: 'text/css; charset=utf-8' })
  written.set('/site.webmanifest', { body: Buffer.from(manifestOf(name)), type: 'application/manifest+json' })
  for (const [place, body] of branding.pictures)
    written.set(place, { body, type: PICTURE_TYPES[place.split('.').at(-1) ?? ''] ?? 'application/octet-stream' })
  written.set('/tonconnect-manifest.json', {
    body: Buffer.from(JSON.stringify({ url: '/', name, iconUrl: '/icon.svg' })),
    type: 'application/json; charset=utf-8',
  })
  return written
}

/** A document of the build, with the operator's names in its title and in the tags of link previews. */
function documentOf(
  text: string,
  { name, branding, publicUrl }: { name: string; branding: Branding; publicUrl: string | undefined },
): string {
  const description = branding.description ?? DESCRIPTION
  // Previews need an absolute address. Our own picture is left out if the operator has another name.
  const picture = publicUrl && !isOurs('/preview.png', branding) ? `${publicUrl}/preview.png` : null
  const tags = [
    ['og:type', 'website'],
    ['og:site_name', name],
    ['og:title', name],
    ['og:description', description],
    ...(picture ? [['og:image', picture] as const] : []),
  ] as const
  const head = html`${tags.map(
    ([property, content]) => html`<meta property="${property}" content="${content}" />
    `,
  )}<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}" />${
    branding.accents
      ? html`
    <link rel="stylesheet" href="/branding.css" />`
      : ''
  }
  </head>`
  const title = textOf(html`${name}`)
  return withoutOurIcons(text, branding)
    .replace(/<title>(.*?)Causeway<\/title>/, (_, before: string) => `<title>${before}${title}</title>`)
    .replace(/<meta name="description" content="Swap [^"]*" \/>/, () =>
      textOf(html`<meta name="description" content="${description}" />`),
    )
    .replace('</head>', () => textOf(head))
}

/** Whether the picture at this path is ours although the operator has another name. */
export function isOurs(place: string, { name, pictures }: Branding): boolean {
  const hasOwnLook = place === '/preview.png' ? name !== null : pictures.has('/icon.svg')
  return hasOwnLook && !pictures.has(place)
}

function withoutOurIcons(text: string, branding: Branding): string {
  const gone = ICONS.filter((place) => isOurs(place, branding))
  return gone.reduce((left, place) => left.replace(new RegExp(` *<link [^>]*href="${place}"[^>]*>\\n`), ''), text)
}

function coloursOf({ light, dark }: NonNullable<Branding['accents']>): string {
  const pair = (name: string, of: keyof typeof light) => `  --${name}: light-dark(${light[of]}, ${dark[of]});\n`
  return `:root {\n${pair('accent', 'accent')}${pair('accent-strong', 'strong')}${pair('on-accent', 'on')}${pair('accent-tint', 'tint')}${pair('accent-wash', 'wash')}}\n`
}

function manifestOf(name: string): string {
  const icons = [{ src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' }]
  return JSON.stringify({ name, short_name: name, start_url: '/', display: 'browser', icons })
}

export function compressed(body: Buffer): Buffer {
  return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } })
}

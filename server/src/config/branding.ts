/**
 * The operator's name, logo, colours and links on the pages, from BRANDING_FILE. Everything is optional. Problems are
 * reported at the start: a colour that people cannot read is one.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type Accent, accentProblems, accentsOf } from './accent.ts'

export interface Branding {
  name: string | null
  operator: string | null
  description: string | null
  terms: string | null
  privacy: string | null
  imprint: string | null
  support: string | null
  /** Colours per theme; null for the usual ones. */
  accents: { light: Accent; dark: Accent } | null
  /** Pictures by the path at which the pages ask for them. */
  pictures: Map<string, Buffer>
}

const NONE = { name: null, operator: null, description: null, terms: null, privacy: null, imprint: null, support: null }
export const NO_BRANDING: Branding = { ...NONE, accents: null, pictures: new Map() }

const MAX_PICTURE_BYTES = 500_000
const PICTURES = {
  logo: { at: '/icon.svg', ending: '.svg' },
  favicon: { at: '/favicon.ico', ending: '.ico' },
  touchIcon: { at: '/apple-touch-icon.png', ending: '.png' },
  preview: { at: '/preview.png', ending: '.png' },
} as const

const words = (most: number) => z.string().trim().min(1).max(most).nullable().default(null)
const link = z
  .string()
  .regex(/^(https:\/\/|mailto:)\S+$/, 'must be an https: or mailto: address')
  .nullable()
  .default(null)
const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b6b5d')
  .transform((given) => given.toLowerCase())
const picture = z.string().min(1).optional()

const File = z.strictObject({
  name: words(40),
  operator: words(80),
  description: words(200),
  terms: link,
  privacy: link,
  imprint: link,
  support: link,
  accent: z.strictObject({ light: colour, dark: colour }).optional(),
  logo: picture,
  favicon: picture,
  touchIcon: picture,
  preview: picture,
})

/** `file`: absent for the usual look. A file that is missing is reported by the caller. */
export function readBranding(file: string | undefined): { branding: Branding; problems: string[] } {
  if (!file || !existsSync(file)) return { branding: NO_BRANDING, problems: [] }
  const failed = (...problems: string[]) => ({
    branding: NO_BRANDING,
    problems: problems.map((problem) => `BRANDING_FILE${problem}`),
  })
  let given: unknown
  try {
    given = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return failed(': is not JSON: a comma, quote or bracket is missing, or one too many')
  }
  const { data, error } = File.safeParse(given)
  if (!data)
    return failed(
      ...error.issues.map(({ path: at, message }) => `${at.map((part) => `.${String(part)}`).join('')}: ${message}`),
    )
  const { accent, logo, favicon, touchIcon, preview, ...named } = data
  const accents = accent ? accentsOf(accent) : null
  const problems = accents ? accentProblems(accents).map((problem) => `.accent.${problem}`) : []
  const pictures = new Map<string, Buffer>()
  for (const [name, value] of Object.entries({ logo, favicon, touchIcon, preview })) {
    if (value === undefined) continue
    const { at, ending } = PICTURES[name as keyof typeof PICTURES]
    const place = path.resolve(path.dirname(file), value)
    const problem = pictureProblem(place, ending)
    if (problem) problems.push(`.${name}: ${value} ${problem}`)
    else pictures.set(at, readFileSync(place))
  }
  return problems.length > 0 ? failed(...problems) : { branding: { ...named, accents, pictures }, problems: [] }
}

function pictureProblem(place: string, ending: string): string | null {
  if (!place.endsWith(ending)) return `must end in ${ending}`
  const found = statSync(place, { throwIfNoEntry: false })
  if (!found?.isFile()) return 'is not a file; the path is relative to the branding file'
  return found.size > MAX_PICTURE_BYTES ? `is larger than ${MAX_PICTURE_BYTES / 1000} kB` : null
}

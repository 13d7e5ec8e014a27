/** The colours that follow from an operator's accent, and whether people can read them (WCAG AA). */

/** The tokens of `web/src/app/tokens.css` that the accent decides. */
export interface Accent {
  accent: string
  strong: string
  on: string
  tint: string
  wash: string
}

type Theme = 'light' | 'dark'
/** The surfaces that the accent is written on, as in `tokens.css`. */
const SURFACES = { light: ['#f4f7f5', '#ffffff', '#f2f5f4'], dark: ['#0b1110', '#141c1a', '#1b2522'] } as const
const CARD = { light: '#ffffff', dark: '#141c1a' } as const
const TOWARDS = { light: '#000000', dark: '#ffffff' } as const
const LEAST_CONTRAST = 4.5

export function accentsOf(given: Record<Theme, string>): Record<Theme, Accent> {
  return { light: accentOf(given.light, 'light'), dark: accentOf(given.dark, 'dark') }
}

function accentOf(accent: string, theme: Theme): Accent {
  const [light, dark] = ['#ffffff', '#06110f']
  return {
    accent,
    strong: mix(accent, TOWARDS[theme], 0.22),
    on: contrast(light, accent) >= contrast(dark, accent) ? light : dark,
    tint: mix(CARD[theme], accent, 0.12),
    wash: mix(CARD[theme], accent, 0.06),
  }
}

export function accentProblems(accents: Record<Theme, Accent>): string[] {
  return (['light', 'dark'] as const).flatMap((theme) => {
    const { accent, strong, on, tint } = accents[theme]
    const pairs = [...SURFACES[theme].map((surface) => [accent, surface]), [accent, tint], [on, accent], [on, strong]]
    const [worst = []] = pairs.toSorted(([a = '', b = ''], [c = '', d = '']) => contrast(a, b) - contrast(c, d))
    const [text = '', surface = ''] = worst
    const least = contrast(text, surface)
    if (least >= LEAST_CONTRAST) return []
    const change = theme === 'light' ? 'darker' : 'lighter'
    return [
      `${theme}: the contrast of ${text} on ${surface} is ${least.toFixed(1)}, at least ${LEAST_CONTRAST} is needed: choose a ${change} colour`,
    ]
  })
}

export function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = partsOf(colour).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function mix(a: string, b: string, share: number): string {
  const other = partsOf(b)
  const parts = partsOf(a).map((part, at) => Math.round(part + ((other[at] ?? 0) - part) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

/** The look of an embedded form: what its page requests, kept legible. Values are parsed, never pasted into a style. */

export interface Look {
  theme: 'auto' | 'light' | 'dark'
  accent: string | null
  radius: number | null
  font: 'system' | 'serif' | 'mono' | null
}

export function readLook(query: URLSearchParams): Look {
  const [theme, accent, radius, font] = ['theme', 'accent', 'radius', 'font'].map((name) => query.get(name))
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    accent: accent && /^#[0-9a-f]{6}$/i.test(accent) ? accent.toLowerCase() : null,
    radius: radius && /^\d{1,2}$/.test(radius) ? Math.min(Number(radius), 32) : null,
    font: font === 'serif' || font === 'mono' || font === 'system' ? font : null,
  }
}

const FONTS = { system: 'system-ui, sans-serif', serif: 'ui-serif, Georgia, serif', mono: 'ui-monospace, monospace' }
const WHITE = '#ffffff'
const DARK_CARD = '#161e1c'

export function applyLook({ theme, accent, radius, font }: Look): void {
  const root = document.documentElement
  if (theme === 'auto') delete root.dataset.theme
  else root.dataset.theme = theme
  if (accent) {
    const [light, dark] = [legible(accent, WHITE), legible(accent, DARK_CARD)]
    root.style.setProperty('--accent', `light-dark(${light}, ${dark})`)
    root.style.setProperty('--accent-tint', 'color-mix(in srgb, var(--accent) 14%, var(--card))')
    if (light !== accent) console.info(`causeway: the accent ${accent} was changed to be legible`)
  }
  if (radius !== null) root.style.setProperty('--r-16', `${radius}px`)
  if (font) root.style.setProperty('--font', FONTS[font])
}

/** Darkens or lightens the colour until its contrast on the surface is 4.5:1. */
export function legible(colour: string, surface: string): string {
  const target = luminance(surface) > 0.5 ? 0 : 255
  let parts = partsOf(colour)
  for (let step = 0; step < 40 && contrast(hexOf(parts), surface) < 4.5; step++)
    parts = parts.map((part) => part + (target - part) * 0.08)
  return hexOf(parts)
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

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

function hexOf(parts: number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

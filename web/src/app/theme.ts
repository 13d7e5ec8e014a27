/**
 * Light, dark, or the system's theme. The choice is stored in this browser; `start.js` applies it before the first
 * paint.
 */
import { signal } from '@preact/signals'
import { keep, kept } from '../api/storage.ts'

export type Theme = 'auto' | 'light' | 'dark'

const KEY = 'theme'
const given = kept<string>(KEY)
export const theme = signal<Theme>(given === 'light' || given === 'dark' ? given : 'auto')

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted
  if (wanted === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = wanted
  keep(KEY, wanted === 'auto' ? null : wanted)
}

export function nextTheme(current: Theme): Theme {
  return current === 'auto' ? 'light' : current === 'light' ? 'dark' : 'auto'
}

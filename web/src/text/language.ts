/** The language of the pages, as `start.js` decided it, and the locale that formats numbers and dates. */
import { keep } from '../api/storage.ts'

/** The languages in their own words, for the switch. */
export const LANGUAGES = { en: 'English', es: 'Español', zh: '中文' } as const
export type Language = keyof typeof LANGUAGES

const LOCALES: Record<Language, string> = { en: 'en-US', es: 'es', zh: 'zh-CN' }

export const language: Language = decided()

/** The browser's variant of the language if it has one: `es-MX` writes numbers in another way than `es`. */
export const locale: string = variant() ?? LOCALES[language]

/** Stores the chosen language and reloads the page, because texts are loaded once per visit. */
export function chooseLanguage(chosen: Language): void {
  keep('language', chosen)
  const url = new URL(location.href)
  // A link may name a language; a choice wins over it.
  url.searchParams.delete('lang')
  if (url.href === location.href) location.reload()
  else location.replace(url)
}

function decided(): Language {
  const tag = typeof document === 'undefined' ? 'en' : document.documentElement.lang
  return (Object.keys(LANGUAGES) as Language[]).find((name) => name === tag) ?? 'en'
}

function variant(): string | undefined {
  if (typeof document === 'undefined') return undefined
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${language}-`))
}

/**
 * Every text of the pages in the chosen language. Only that language is loaded, before anything else of the page runs.
 * The language files import nothing of the pages: they would wait for each other.
 */
import { type Language, language } from './language.ts'

type Texts = typeof import('./en.ts')

const FILES: Record<Language, () => Promise<Texts>> = {
  en: () => import('./en.ts'),
  es: () => import('./es.ts'),
  zh: () => import('./zh.ts'),
}

export const {
  costs,
  deposit,
  developers,
  embed,
  exchanging,
  explorer,
  help,
  history,
  picker,
  refunding,
  sandbox,
  serviceStatus,
  shell,
  status,
  swap,
  units,
  wallet,
  webhooks,
} = await FILES[language]()

/** Exchanges that users swap from and to, as the operator lists them in `networks/exchanges.json`; none by default. */
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { readJson } from '../config/json.ts'
import { ConfigError } from '../config.ts'

const ExchangeFile = z.strictObject({
  name: z.string().regex(/^[A-Z0-9_]+$/),
  display_name: z.string().min(1),
  listing_date: z.iso.datetime({ offset: true }),
  oauth: z.strictObject({ authorize_url: z.url(), connect_url: z.url() }).nullable().default(null),
  /** Networks that the exchange pays out to, with the symbols it pays there. */
  withdrawals: z.record(z.string(), z.array(z.string()).min(1)),
})
export type Exchange = z.infer<typeof ExchangeFile>

const Exchanges = z
  .array(ExchangeFile)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'names must be unique')

export function readExchanges(file: string): Exchange[] {
  if (!existsSync(file)) return []
  const parsed = Exchanges.safeParse(readJson(file))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(`${file} has problems:\n  - ${problems.join('\n  - ')}`)
}

export function findExchange(exchanges: readonly Exchange[], name: string): Exchange | null {
  return exchanges.find((exchange) => exchange.name === name.toUpperCase()) ?? null
}

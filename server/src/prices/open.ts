/** Opens the configured price sources: the fixed file, HTTP sources of `networks/price-sources.json`, or several. */
import { existsSync } from 'node:fs'
import { providerOf } from '@causeway/chain-kit'
import { parseDecimal } from '@causeway/core'
import type { Logger } from 'pino'
import { z } from 'zod'
import { readJson } from '../config/json.ts'
import { type Config, ConfigError } from '../config.ts'
import { fixedPrices } from './fixed.ts'
import { HttpSourceFile, httpPrices } from './http.ts'
import { medianPrices } from './median.ts'
import type { PriceSource } from './source.ts'

const FIXED = 'fixed'

type Settings = Pick<Config, 'prices' | 'pricesFile' | 'priceSourcesFile' | 'priceMaxAgeMs' | 'priceMaxDeviation'>

export function openPrices(config: Settings, log: Pick<Logger, 'warn'>, now: () => Date): PriceSource {
  const names = config.prices
  const files = names.some((name) => name !== FIXED) ? readSources(config.priceSourcesFile) : []
  const asked = new Map<string, string>()
  const sources = names.map((name) => {
    if (name === FIXED) return fixedPrices(config.pricesFile)
    const file = files.find((source) => source.name === name)
    if (!file) throw new ConfigError(`PRICES: ${config.priceSourcesFile} has no source ${name}`)
    const provider = providerOf(file.url)
    const other = asked.get(provider)
    // One provider under two names would have two votes.
    if (other !== undefined) throw new ConfigError(`PRICES: ${other} and ${name} are one source, both ask ${provider}`)
    asked.set(provider, name)
    return httpPrices(file, now)
  })
  const [only] = sources
  // The file of fixed prices is the only source: there is no median to take, and it is never outdated.
  if (sources.length === 1 && only?.name === FIXED) return only
  return medianPrices(sources, {
    maxAgeMs: config.priceMaxAgeMs,
    maxDeviation: parseDecimal(config.priceMaxDeviation.toFixed(6), 18) ?? 0n,
    now,
    warn: (fields, message) => log.warn(fields, message),
  })
}

function readSources(file: string): HttpSourceFile[] {
  if (!existsSync(file)) throw new ConfigError(`PRICES: there is no file ${file}`)
  const parsed = z.array(HttpSourceFile).safeParse(readJson(file))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(`${file} has problems:\n  - ${problems.join('\n  - ')}`)
}

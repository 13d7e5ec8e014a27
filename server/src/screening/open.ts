/** Opens the configured screeners. With none configured, every address passes. */
import { readFileSync } from 'node:fs'
import type { Chains } from '../catalogue/chains.ts'
import { type Config, ConfigError } from '../config.ts'
import { httpScreener } from './http.ts'
import { denyList } from './list.ts'
import { allOf, type Screener } from './screener.ts'

export function openScreener(config: Config, chains: Chains): Screener {
  const spellings = (text: string) => [...chains.values()].flatMap((chain) => chain.parseAddress(text) ?? [])
  const screeners: Screener[] = []
  if (config.screeningFile) screeners.push(denyList(config.screeningFile, spellings))
  if (config.screeningUrl) screeners.push(httpScreener(config.screeningUrl, tokenOf(config)))
  return allOf(screeners)
}

function tokenOf({ screeningTokenFile: file }: Config): string | null {
  if (!file) return null
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new ConfigError('SCREENING_TOKEN_FILE: the file cannot be read')
  }
}

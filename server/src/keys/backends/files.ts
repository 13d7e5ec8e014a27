/**
 * Reads secrets and lists from the files that the configuration names. The content of a file never gets into a message.
 */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../../config.ts'

/** Shorter access tokens could be guessed. */
const MIN_TOKEN = 32

export function readNamed(file: string | undefined, name: string): string {
  try {
    return readFileSync(file ?? '', 'utf8')
  } catch {
    throw new ConfigError(`${name}: the file cannot be read`)
  }
}

export function readToken(file: string | undefined, name: string): string {
  const token = readNamed(file, name).trim()
  if (token.length < MIN_TOKEN) throw new ConfigError(`${name}: the token must have at least ${MIN_TOKEN} characters`)
  if (!/^[\x21-\x7e]+$/.test(token)) throw new ConfigError(`${name}: the token must be one word of plain characters`)
  return token
}

export function readJson(file: string | undefined, name: string): unknown {
  const text = readNamed(file, name)
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError(`${name}: the file is no JSON`)
  }
}

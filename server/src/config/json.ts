/**
 * Reads a JSON file that a setting names. An error is one line that repeats nothing of the content: it may hold a key.
 */
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'

export function readJson(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new ConfigError(`${file} cannot be read (${code === 'EISDIR' ? 'it is a folder' : code})`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ConfigError(`${file} is not JSON: a comma, quote or bracket is missing, or one too many`)
  }
}

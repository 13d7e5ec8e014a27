/**
 * Requests and responses that `tests/examples` recorded on local chains. A test records them again and compares, so
 * that the documentation shows real behaviour.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

export interface Example {
  summary: string
  request: {
    path?: Record<string, string>
    query?: Record<string, string>
    headers?: Record<string, string>
    body?: unknown
  }
  status: number
  /** The response body; text if it is not JSON. */
  answer: unknown
}

/** Examples by operation, such as `GET /api/v2/quote`. */
export type Examples = Record<string, Example[]>

export const EXAMPLES_FILE = path.join(import.meta.dirname, 'examples.json')

export function readExamples(): Examples {
  return existsSync(EXAMPLES_FILE) ? JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) : {}
}

/** The dependencies of the console, and its errors. */
import type { Services } from '../services.ts'

export interface Console extends Services {
  /** Whether this is a sandbox, which accepts a password that it shows to everyone. */
  isSandbox: boolean
}

/** A refusal whose message is shown to the caller. */
export class Refused extends Error {
  override name = 'Refused'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The input of every part of the console, and its errors. */
import type { Services } from '../services.ts'

export interface Console extends Services {
  /** The sandbox accepts a password that it shows to everyone. */
  isSandbox: boolean
}

/** Shown to the caller unchanged. */
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

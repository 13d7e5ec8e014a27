/** A child logger that is created on first use: every request has one, and hardly any request logs. */
import type { Bindings, ChildLoggerOptions, Logger } from 'pino'

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'
/** Arguments as pino takes them: fields and a message, or a message alone. */
type Words = unknown[]

export class LazyLogger {
  readonly #parent: Logger
  readonly #bindings: Bindings
  #made: Logger | null = null

  constructor(parent: Logger, bindings: Bindings) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get level(): string {
    return this.#parent.level
  }

  child(bindings: Bindings, options?: ChildLoggerOptions): Logger {
    this.#made ??= this.#parent.child(this.#bindings)
    return this.#made.child(bindings, options)
  }

  fatal(...words: Words): void {
    this.#say('fatal', words)
  }
  error(...words: Words): void {
    this.#say('error', words)
  }
  warn(...words: Words): void {
    this.#say('warn', words)
  }
  info(...words: Words): void {
    this.#say('info', words)
  }
  debug(...words: Words): void {
    this.#say('debug', words)
  }
  trace(...words: Words): void {
    this.#say('trace', words)
  }
  silent(): void {}

  #say(level: Level, words: Words): void {
    if (!this.#parent.isLevelEnabled(level)) return
    this.#made ??= this.#parent.child(this.#bindings)
    Reflect.apply(this.#made[level], this.#made, words)
  }
}

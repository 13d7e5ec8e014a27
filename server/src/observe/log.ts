/** Logs: one JSON line each, a fixed lower-case sentence and fields. Fields that could hold a secret are struck out. */
import { type ChainLog, RetryLater } from '@causeway/core'
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'

/** Whatever an error or a request might drag along. */
const SECRETS = ['mnemonic', 'password', 'secret', 'privateKey', 'apiKey', 'req.headers["x-ls-apikey"]', 'MNEMONIC']

/** API keys and webhook secrets as they are written: struck out wherever they stand, even inside a message. */
const GIVEN_OUT = /\b(whsec_|causeway_(?:mainnet|testnet)_)[\w+/=-]+/g

/** `onError` is called for every line that says that somebody must act. */
export function createLog(level: string, destination?: DestinationStream, onError?: () => void): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: SECRETS.flatMap((path) => (path.includes('.') ? [path] : [path, `*.${path}`])),
      censor: '[secret]',
    },
    serializers: {
      err: (error: Error) => ({
        type: error.name,
        message: hideAddresses(error.message),
        stack: error.stack && hideAddresses(error.stack),
      }),
    },
    hooks: {
      streamWrite: (line: string) => line.replace(GIVEN_OUT, '$1[secret]'),
      ...(onError ? { logMethod: counting(onError) } : {}),
    },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** Of pino's levels: this one and those above it. */
const ERROR = 50

function counting(onError: () => void) {
  return function (this: Logger, words: Parameters<LogFn>, write: LogFn, level: number): void {
    if (level >= ERROR) onError()
    Reflect.apply(write, this, words)
  }
}

/** Node addresses often carry an access key in their path or user part. */
export function hideAddresses(text: string): string {
  return text.replace(/\b(https?|wss?|postgres(?:ql)?):\/\/[^\s"')]+/g, (address) => {
    if (!URL.canParse(address)) return '[address]'
    const { protocol, host } = new URL(address)
    return `${protocol}//${host}/…`
  })
}

/** What passes by itself is told in a line; anything else with all that is known of it. */
export function logFailure(log: ChainLog, fields: Record<string, unknown>, error: unknown, message: string): void {
  if (error instanceof RetryLater) log.info({ ...fields, reason: error.message }, message)
  else log.warn({ ...fields, err: error }, message)
}

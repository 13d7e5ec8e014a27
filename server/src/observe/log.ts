/** Logs: one JSON line each, a fixed lower-case phrase and fields. Fields that could hold a secret are redacted. */
import { type ChainLog, RetryLater } from '@causeway/core'
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'

/** Fields that an error or a request might contain. */
const SECRETS = ['mnemonic', 'password', 'secret', 'privateKey', 'apiKey', 'req.headers["x-ls-apikey"]', 'MNEMONIC']

/** API keys and webhook secrets by their prefix: redacted everywhere, even inside a message. */
const GIVEN_OUT = /\b(whsec_|causeway_(?:mainnet|testnet)_)[\w+/=-]+/g

/** `onError` is called for every line at level error or above. */
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

/** The number of pino's level `error`. */
const ERROR = 50

function counting(onError: () => void) {
  return function (this: Logger, words: Parameters<LogFn>, write: LogFn, level: number): void {
    if (level >= ERROR) onError()
    Reflect.apply(write, this, words)
  }
}

/** Replaces node URLs, which often carry an access key in their path or user part. */
export function hideAddresses(text: string): string {
  return text.replace(/\b(https?|wss?|postgres(?:ql)?):\/\/[^\s"')]+/g, (address) => {
    if (!URL.canParse(address)) return '[address]'
    const { protocol, host } = new URL(address)
    return `${protocol}//${host}/…`
  })
}

/** Temporary errors are logged in one line; anything else with its stack. */
export function logFailure(log: ChainLog, fields: Record<string, unknown>, error: unknown, message: string): void {
  if (error instanceof RetryLater) log.info({ ...fields, reason: error.message }, message)
  else log.warn({ ...fields, err: error }, message)
}

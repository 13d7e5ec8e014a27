/** Logs: one JSON line each, a fixed lower-case sentence and fields. Fields that could hold a secret are struck out. */
import { type Logger, pino } from 'pino'

/** Whatever an error or a request might drag along. */
const SECRETS = ['mnemonic', 'password', 'secret', 'privateKey', 'apiKey', 'req.headers["x-ls-apikey"]', 'MNEMONIC']

export function createLog(level: string): Logger {
  return pino({
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
  })
}

/** Node addresses often carry an access key in their path or user part. */
export function hideAddresses(text: string): string {
  return text.replace(/\b(https?|wss?|postgres(?:ql)?):\/\/[^\s"')]+/g, (address) => {
    if (!URL.canParse(address)) return '[address]'
    const { protocol, host } = new URL(address)
    return `${protocol}//${host}/…`
  })
}

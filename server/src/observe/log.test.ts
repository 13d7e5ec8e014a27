/** What never appears in the logs. */
import { expect, test } from 'vitest'
import { makeKey, makeWebhookSecret } from '../apps/accounts.ts'
import { createLog } from './log.ts'

test('keys and webhook secrets are redacted everywhere', () => {
  const lines: string[] = []
  const log = createLog('debug', { write: (line: string) => void lines.push(line) })
  const { key } = makeKey('testnet')
  const secret = makeWebhookSecret()
  log.info({ apiKey: key, endpoint: { secret }, url: `https://x/?key=${key}` }, `made ${secret}`)
  log.error({ err: new Error(`duplicate ${key} and ${secret}`) }, 'failed')
  log.child({ note: key }).warn({ list: [secret] }, 'careful')
  const written = lines.join('')
  expect(lines).toHaveLength(3)
  expect(written).not.toContain(key.slice(-20))
  expect(written).not.toContain(secret.slice(-20))
  for (const line of lines) JSON.parse(line)
})

test('every line at level error is counted, also from child loggers, and no other line', () => {
  let errors = 0
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) }, () => void errors++)
  log.info('swap moved')
  log.warn({ network: 'A' }, 'payout waits')
  expect(errors).toBe(0)
  log.error({ network: 'A' }, 'a slot could not be judged')
  log.child({ request: '1' }).error('request failed')
  log.fatal('the worker lost its lock')
  expect(errors).toBe(3)
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'swap moved',
    'payout waits',
    'a slot could not be judged',
    'request failed',
    'the worker lost its lock',
  ])
})

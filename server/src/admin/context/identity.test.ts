/** Entries that the audit log's verifier accepts without a signature, and those it does not. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AuditRow } from '../../store/operators/audit.ts'
import { signatureJudge } from './identity.ts'

const person = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const text = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  return { text, signed: (said: string) => sign(null, Buffer.from(said), privateKey).toString('base64') }
}
const [ada, thief] = [person(), person()]

function row(actor: string, action: string, data: Record<string, unknown>, signature: string | null): AuditRow {
  return { id: 1n, at: new Date(0), actor, action, data, previous: '', hash: '', signature }
}

test('a known person cannot be given another key, and only known people act at the console', () => {
  const isGood = signatureJudge()
  const added = (actor: string, name: string, publicKey: string, signature: string | null) =>
    isGood(row(actor, 'operator added', { name, publicKey }, signature), 'text')
  expect(added('ada', 'ada', ada.text, ada.signed('text'))).toBe(true)
  for (const actor of ['console ada', 'console nobody', 'app shop'])
    expect(added(actor, 'ada', thief.text, null), actor).toBe(false)
  expect(added('app shop', 'eve', thief.text, null)).toBe(false)
  const paused = (actor: string, signature: string | null) => isGood(row(actor, 'paused', {}, signature), 'text')
  expect(paused('ada', thief.signed('text'))).toBe(false)
  expect(paused('ada', ada.signed('text'))).toBe(true)
  expect([paused('console ada', null), paused('console eve', null), paused('app shop', null)]).toEqual([
    true,
    false,
    true,
  ])
})

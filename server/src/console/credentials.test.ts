/** Passwords and codes, against the numbers of RFC 6238. */
import { expect, test } from 'vitest'
import { codeAt, hashPassword, isPassword, newCodeSecret, stepOf } from './credentials.ts'

/** '12345678901234567890', as authenticator apps write it. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes are those of RFC 6238, appendix B, in six digits', () => {
  const told: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of told) expect(codeAt(SECRET, BigInt(Math.floor(seconds / 30)))).toBe(code)
})

test('a code is accepted thirty seconds early and late, and no longer', () => {
  const at = (seconds: number) => new Date(seconds * 1000)
  const code = codeAt(SECRET, 100n)
  for (const seconds of [2_970, 3_000, 3_059]) expect(stepOf(code, SECRET, at(seconds)), `${seconds}`).toBe(100n)
  for (const seconds of [2_969, 3_060]) expect(stepOf(code, SECRET, at(seconds)), `${seconds}`).toBeNull()
})

test('secrets are 160 bits that differ', () => {
  const secrets = new Set(Array.from({ length: 50 }, newCodeSecret))
  expect(secrets.size).toBe(50)
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
})

test('only the stretched form of a password is stored', async () => {
  const stored = await hashPassword('correct horse battery')
  expect(stored).not.toContain('horse')
  expect(await isPassword('correct horse battery', stored)).toBe(true)
  expect(await isPassword('correct horse batter', stored)).toBe(false)
  expect(await isPassword('', null)).toBe(false)
  expect(await isPassword('', 'scrypt$32768$$')).toBe(false)
})

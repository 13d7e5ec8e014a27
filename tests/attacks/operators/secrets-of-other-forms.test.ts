/**
 * Attack B4, in prose: secrets as password managers, debuggers and providers of nodes write them, and private keys in a sentence of another
 * language. None may be stored in a reason.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { listAudit } from '../../../server/src/store/operators/audit.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

/** Others with each call, and the same in every run. */
let made = 0
function bytes(length: number): Buffer {
  made++
  return createHash('sha512').update(`${made}`).digest().subarray(0, length)
}
const hex = (length: number) => bytes(length).toString('hex')
const pairs = (form: (byte: string) => string) => [...bytes(32)].map((byte) => form(byte.toString(16).padStart(2, '0')))
const numbers = () => [...bytes(32)].join(', ')
const drawn = (signs: string, length: number) => [...bytes(length)].map((byte) => signs[byte % signs.length]).join('')
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SIGNS = '!"#$%&\'()*+,-./:;<=>?@[]^_{|}~'
const uuid = () => hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const SECRETS: Record<string, () => string> = {
  'a password of 20 characters, with !@#$%^&*': () => drawn(`${LETTERS}!@#$%^&*`, 20),
  'a password of 40 characters, with all signs': () => drawn(LETTERS + SIGNS, 40),
  'a seed as an array of bytes': () => pairs((byte) => `0x${byte}`).join(', '),
  'a seed as escaped bytes': () => `b'${pairs((byte) => `\\x${byte}`).join('')}'`,
  'a seed as a tuple of numbers': () => `(${numbers()})`,
  'a seed as numbers': () => numbers(),
  'a seed as JSON.stringify shows a Uint8Array': () => JSON.stringify({ ...bytes(32) }),
  'a seed in numbered groups': () =>
    pairs(String)
      .flatMap((_, n, all) => (n % 4 ? [] : `${n / 4 + 1}) ${all.slice(n, n + 4).join('')}`))
      .join('\n'),
  'an API key that is a UUID': () => `the API key is ${uuid()}`,
  'a node of NOWNodes': () => `https://btc.nownodes.io/${uuid()}`,
  'a node of BlockPI': () => `https://ethereum.blockpi.network/v1/rpc/${hex(20)}`,
  'a node without blocks': () => `no blocks: https://a.quiknode.pro/${hex(20)}/`,
  'a private key in Spanish': () => `clave privada de la cuenta ${hex(32)}`,
  'a private key in French': () => `clé privée du compte, adresse ${hex(32)}`,
  'a private key in Chinese': () => `账户私钥 ${hex(32)}, 账户 ${hex(32)}`,
  'a private key by a short name': () => `privkey of the account ${hex(32)}`,
}

test.each(Object.keys(SECRETS))('refused: %s', async (kind) => {
  const { database, now } = api.services
  const own = { actor: 'ada', role: 'admin', sign: () => '', print: () => undefined } as const
  const stored: string[] = []
  for (let n = 0; n < 20; n++) {
    const secret = SECRETS[kind]?.() ?? ''
    const words = ['switch', 'pause', '--scope', 'network:BETA', '--what', 'swaps', `--reason=we use it now: ${secret}`]
    await runCommand({ database, now, ...own }, words).catch(() => undefined)
    const [newest] = await listAudit(database, 1)
    if (JSON.stringify(newest?.data ?? null).includes(JSON.stringify(secret).slice(1, -1))) stored.push(secret)
  }
  expect(stored.length, `of 20 in the audit log, such as ${stored[0]}`).toBe(0)
})

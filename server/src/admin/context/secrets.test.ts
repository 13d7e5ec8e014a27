/** Private key material is recognised wherever it is typed, and other words of operators are not taken for it. */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { generateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { expect, test } from 'vitest'
import { makeKey, makeWebhookSecret } from '../../apps/accounts.ts'
import { sealKeystore } from '../../keys/keystore/keystore.ts'
import { hasBytes32, secretIn } from './secrets.ts'

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = (BASE58[Number(rest % 58n)] ?? '') + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(Math.max(zeros, 0)) + text
}
function withChecksum(bytes: Buffer): string {
  const hash = (data: Buffer) => createHash('sha256').update(data).digest()
  return base58(Buffer.concat([bytes, hash(hash(bytes)).subarray(0, 4)]))
}

const ed25519 = generateKeyPairSync('ed25519')
const ec = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const seed = ed25519.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
const spki = ed25519.publicKey.export({ format: 'der', type: 'spki' })
const pair = Buffer.concat([seed, spki.subarray(-32)])
const random = (length: number) => randomBytes(length)
const account = HDKey.fromMasterSeed(random(32))
const pems = [
  ed25519.privateKey.export({ format: 'pem', type: 'pkcs8' }),
  ed25519.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
  ec.privateKey.export({ format: 'pem', type: 'pkcs8' }),
  ec.privateKey.export({ format: 'pem', type: 'sec1' }),
  rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }),
  rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }),
].map(String)
const bodyOf = (pem: string) => pem.trim().split('\n').slice(1, -1)
const phrase = generateMnemonic(wordlist)

const SECRETS: [string, string][] = [
  ...pems.map((pem, n): [string, string] => [`PEM ${n}`, pem]),
  ...pems.map((pem, n): [string, string] => [`PEM on one line ${n}`, pem.replaceAll('\n', '\\n')]),
  ...pems.map((pem, n): [string, string] => [`the body alone ${n}`, bodyOf(pem).join('\n')]),
  ...pems.map((pem, n): [string, string] => [`the first line of the body ${n}`, bodyOf(pem)[0] ?? '']),
  ['a body behind other letters', `keyIs${bodyOf(pems[0] ?? '').join('')}`],
  ['OpenSSH', `b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW`],
  ['DER in hex', ed25519.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('hex')],
  ['a key pair in hex', pair.toString('hex')],
  ['a key pair in base58', base58(pair)],
  ['a key pair in base64', pair.toString('base64')],
  ['WIF', withChecksum(Buffer.concat([Buffer.from([0x80]), random(32), Buffer.from([1])]))],
  ['WIF, uncompressed, of a test network', withChecksum(Buffer.concat([Buffer.from([0xef]), random(32)]))],
  ['xprv', account.privateExtendedKey],
  ['a recovery phrase', phrase],
  ['a numbered phrase with a typing mistake', phrase.replace(/^\w+/, 'zzz').replaceAll(' ', ', 2. ').toUpperCase()],
  ['a JWK', JSON.stringify(ed25519.privateKey.export({ format: 'jwk' }))],
  ['a JWK in a JSON text', JSON.stringify(JSON.stringify(ec.privateKey.export({ format: 'jwk' })))],
  ['a key as openssl prints it', `ED25519 Private-Key:\npriv:\n    ${seed.toString('hex').replace(/..(?=.)/g, '$&:')}`],
  ['a keystore', sealKeystore(phrase, 'password')],
  ['a secret API key', makeKey('mainnet').key],
  ['the secret of a webhook', makeWebhookSecret()],
]
test.each(SECRETS)('recognised: %s', (_, text) => {
  expect(secretIn(text)).not.toBeNull()
  expect(secretIn(`it is: "${text}", and so on`)).not.toBeNull()
})

const OTHERS: [string, string][] = [
  ['a public key', ed25519.publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  ['its body', spki.toString('base64')],
  ['a public key of another kind', rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString()],
  ['xpub', account.publicExtendedKey],
  ['a signature in base58', base58(Buffer.concat([Buffer.from([5]), random(63)]))],
  ['a signature in hex', random(64).toString('hex')],
  ['an address', withChecksum(Buffer.concat([Buffer.from([0]), random(20)]))],
  ['an address of 32 bytes in base58', base58(random(32))],
  ['a transaction', `0x${random(32).toString('hex')}`],
  ['a public API key', makeKey('mainnet', 'public').key],
  ['a public JWK', JSON.stringify(ed25519.publicKey.export({ format: 'jwk' }))],
  ['a sentence about a key', 'we replaced the private key of the old signer, and the secret key: both are gone'],
  [
    'sentences',
    'Please wait until the user can say that they will send it once more. Then refund the rest, close the case and tell them about it.',
  ],
]
test.each(OTHERS)('not taken for a secret: %s', (_, text) => {
  expect(secretIn(text)).toBeNull()
})

test('32 bytes in hexadecimal are told from shorter and longer ones', () => {
  const hex = random(32).toString('hex')
  const colons = hex.replace(/..(?=.)/g, '$&:')
  for (const text of [hex, `0x${hex}`, hex.toUpperCase(), colons, `token:A/0x${hex}`, `0x0${hex.slice(2)}`])
    expect(hasBytes32(text), text).toBe(true)
  for (const text of [hex.slice(0, 40), `${hex}00`, `${hex}${hex}`, colons.slice(3), crypto.randomUUID()])
    expect(hasBytes32(text), text).toBe(false)
})

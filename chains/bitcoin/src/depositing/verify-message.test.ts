import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { base58AddressOf, publicKeyAddress, sha256 } from '../address.ts'
import { CHAINS } from '../settings.ts'
import { verifyMessage } from './verify-message.ts'

const { prefixes } = CHAINS.main
const verify = (address: string, text: string, signature: string) =>
  verifyMessage(prefixes, { address, text, signature })

/** The vectors of BIP 322. */
const SEGWIT = 'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l'
const EMPTY =
  'AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI='
const HELLO =
  'AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI='
const TAPROOT = 'bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3'
const TAPROOT_HELLO = 'AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=='

test('BIP 322 with the key of a SegWit or a taproot address', () => {
  expect(verify(SEGWIT, '', EMPTY)).toBe(true)
  expect(verify(SEGWIT, 'Hello World', HELLO)).toBe(true)
  expect(verify(TAPROOT, 'Hello World', TAPROOT_HELLO)).toBe(true)
  expect(verify(SEGWIT, 'Hello World', EMPTY)).toBe(false)
  expect(verify(TAPROOT, 'Hello World!', TAPROOT_HELLO)).toBe(false)
  expect(verify(TAPROOT, 'Hello World', HELLO)).toBe(false)
  expect(verify(SEGWIT, 'Hello World', TAPROOT_HELLO)).toBe(false)
})

/** As wallets sign in the older way. */
function legacy(key: Uint8Array, text: string, isShort: boolean, header = isShort ? 31 : 27): string {
  const words = Buffer.from(text)
  const framed = Buffer.concat([Buffer.from('\x18Bitcoin Signed Message:\n'), Buffer.from([words.length]), words])
  const signed = secp256k1.sign(sha256(sha256(framed)), key, { prehash: false, format: 'recovered' })
  const [recovery = 0, ...rest] = signed
  return Buffer.from([header + recovery, ...rest]).toString('base64')
}

const key = Uint8Array.from(Buffer.alloc(32, 7))
const [short, long] = [secp256k1.getPublicKey(key, true), secp256k1.getPublicKey(key, false)]
const text = 'Send the money of my swap back.\n\nAddress: ü'

test('signmessage with the key of an address, whatever kind its header names', () => {
  expect(verify(base58AddressOf('pubKeyHash', short, prefixes), text, legacy(key, text, true))).toBe(true)
  expect(verify(base58AddressOf('pubKeyHash', long, prefixes), text, legacy(key, text, false))).toBe(true)
  for (const header of [31, 35, 39]) {
    expect(verify(publicKeyAddress(short, prefixes), text, legacy(key, text, true, header))).toBe(true)
    expect(verify(base58AddressOf('wrapped', short, prefixes), text, legacy(key, text, true, header))).toBe(true)
  }
})

test('another text, another address, and malformed signatures are rejected', () => {
  const address = publicKeyAddress(short, prefixes)
  const signature = legacy(key, text, true)
  expect(verify(address, `${text} `, signature)).toBe(false)
  expect(verify(SEGWIT, text, signature)).toBe(false)
  expect(verify(base58AddressOf('pubKeyHash', long, prefixes), text, signature)).toBe(false)
  const bytes = Buffer.from(HELLO, 'base64')
  const broken = [
    '',
    '=',
    'AA==',
    'AgA=',
    signature.slice(4),
    `${signature}AAAA`,
    Buffer.alloc(65, 31).toString('base64'),
  ]
  for (const each of [...broken, Buffer.concat([bytes, Buffer.alloc(1)]).toString('base64')]) {
    expect(verify(address, text, each)).toBe(false)
    expect(verify(SEGWIT, 'Hello World', each)).toBe(false)
  }
  // Signed with a hash type that does not cover the whole transaction.
  const other = Buffer.from(bytes)
  other[bytes[1] === undefined ? 0 : bytes[1] + 1] = 2
  expect(verify(SEGWIT, 'Hello World', other.toString('base64'))).toBe(false)
})

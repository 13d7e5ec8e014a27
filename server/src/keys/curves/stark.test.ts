import { describe, expect, it, test } from 'vitest'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import { isSignature } from './signature.ts'
import { groundKey, isStarkSignature, starkPublicKey, starkSign } from './stark.ts'

const word = (hex: string) => Uint8Array.from(Buffer.from(hex.replace('0x', '').padStart(64, '0'), 'hex'))
const hex = (bytes: Uint8Array) => `0x${BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString(16)}`

/** StarkWare's published test key and its signature (RFC 6979 is deterministic, so there is one right answer). */
const KEY = word('0x3c1e9550e66958296d11b60f8e8e7a7ad990d07fa65d5f7652c4a6c87d4e3cc')
const PUBLIC = '0x77a3b314db07c45076d11f62b6f9e748a39790441823307743cf00d6597ea43'
const SIGNED = [
  [
    '0x1',
    '0x6fdd4e4bf3fcd781997f9deba654356e629177ce4d804bc527044f222828f25',
    '0x33302ce7c82a7e199a8d7faaae8a53a2f447c9dd1262b1862b03a46104bc1d2',
  ],
  [
    '0x11',
    '0x50c1c19a8c354f51341284ff6ba39c5d833539fe3065a14dd67b48a4c6644c0',
    '0x66ca9c561787fd3968291ad11ef08a0da9d5609210653dc6aeabccc1019a41c',
  ],
] as const

describe('the Stark curve', () => {
  it('a key is ground as EIP-2645 says, and its public key is the x coordinate', () => {
    const seed = word('0x86F3E7293141F20A8BAFF320E8EE4ACCB9D4A4BF2B4D295E8CEE784DB46E0519')
    expect(hex(groundKey(seed))).toBe('0x5c8c8683596c732541a59e03007b2d30dbbbb873556fe65b5fb63c16688f941')
    expect(hex(starkPublicKey(KEY))).toBe(PUBLIC)
    expect(hex(starkPublicKey(word('0x1')))).toBe('0x1ef15c18599971b7beced415a40f0c7deacfd9b0d1819e03d723d8bc943cfca')
  })

  test.each(SIGNED)('a signature of %s is the published one', (digest, r, s) => {
    const signature = starkSign(KEY, word(digest))
    expect([hex(signature.subarray(0, 32)), hex(signature.subarray(32))]).toEqual([r, s])
    expect(isStarkSignature(signature, word(digest), word(PUBLIC))).toBe(true)
    expect(isStarkSignature(signature, word('0x2'), word(PUBLIC))).toBe(false)
  })

  it('accepts a signature that the chain itself accepted', () => {
    // The deployment of an account on Sepolia: its only argument is the public key.
    const digest = word('0x32413f8cee053089d6d7026a72e4108262ca3cfe868dd9159bc1dd160aec975')
    const key = word('0x2e94ba2293dfa45f86dfcf9952d7a33dc50ce2b00b932999fbe0844772604f3')
    const signature = Uint8Array.from(
      [
        '0x3ef7f047c95592a04d4d754888dd8f125480a48dee23ee86c115d5da2a86573',
        '0x65e8661ab1526b4f8ea50b76fea1a0e82543de1eb3885e415790d7e1b5a93c7',
      ].flatMap((half) => [...word(half)]),
    )
    expect(isSignature('stark', signature, digest, key)).toBe(true)
    expect(isSignature('stark', signature.with(63, (signature[63] ?? 0) ^ 1), digest, key)).toBe(false)
    expect(isSignature('stark', signature.subarray(1), digest, key)).toBe(false)
  })

  it('a digest that is not a hash of this curve is refused, not truncated', () => {
    expect(() => starkSign(KEY, word(`0x8${'0'.repeat(62)}`))).toThrow('no hash of the Stark curve')
    expect(() => starkSign(KEY, new Uint8Array(31))).toThrow('no hash of the Stark curve')
  })

  it('the phrase signs with this curve by path, deterministically, and with no other curve’s key', async () => {
    const signer = mnemonicSigner('test test test test test test test test test test test junk')
    const key = { curve: 'stark', path: "m/44'/9004'/0'/0/0" } as const
    const signature = await signer.sign(key, word('0x1234'), { quote: 'words' })
    expect(isSignature('stark', signature, word('0x1234'), await signer.publicKey(key))).toBe(true)
    expect(await signer.sign(key, word('0x1234'), { quote: 'words' })).toEqual(signature)
    const other = await signer.publicKey({ ...key, curve: 'secp256k1' })
    expect(other).toHaveLength(33)
  })
})

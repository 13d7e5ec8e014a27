import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, it } from 'vitest'
import { hideAddresses } from '../../observe/log.ts'
import { openKeystore, sealKeystore } from '../keystore/keystore.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'

const PHRASE = 'test test test test test test test test test test test junk'
const INTENT = { network: 'X', order: { kind: 'transfers', account: '', transfers: [] }, slot: [] } as const
const intent = { ...INTENT, order: { ...INTENT.order, transfers: [] } }
const digest = createHash('sha256').update('anything').digest()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('the mnemonic signer', () => {
  it('derives the public key that every wallet derives from the well-known test phrase', async () => {
    const key = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" } as const
    expect(hex(await mnemonicSigner(PHRASE).publicKey(key))).toBe(
      '038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75',
    )
  })

  it('signs recoverably with a low s, the same each time', async () => {
    const key = { curve: 'secp256k1', path: "m/44'/60'/0'/0/0" } as const
    const signer = mnemonicSigner(PHRASE)
    const signature = await signer.sign(key, digest, intent)
    expect(signature).toHaveLength(65)
    expect(await signer.sign(key, digest, intent)).toEqual(signature)
    const parsed = secp256k1.Signature.fromBytes(signature.slice(0, 64), 'compact').addRecoveryBit(signature[64] ?? 9)
    expect(parsed.hasHighS()).toBe(false)
    expect(parsed.recoverPublicKey(digest).toHex(true)).toBe(hex(await signer.publicKey(key)))
  })

  it('derives ed25519 keys by SLIP-10 and signs with them', async () => {
    const key = { curve: 'ed25519', path: "m/44'/501'/0'/0'" } as const
    const signer = mnemonicSigner(PHRASE)
    expect(ed25519.verify(await signer.sign(key, digest, intent), digest, await signer.publicKey(key))).toBe(true)
    await expect(signer.publicKey({ curve: 'ed25519', path: 'm/44/501' })).rejects.toThrow('hardened')
  })

  it('rejects an invalid phrase without repeating it', () => {
    const wrong = PHRASE.replace('junk', 'test')
    expect(() => mnemonicSigner(wrong)).toThrow(/not a valid/)
    expect(() => mnemonicSigner(wrong)).not.toThrow(/test/)
  })
})

describe('the keystore', () => {
  it('that names its environment opens in no other, and cannot be changed to', () => {
    const password = 'correct horse battery'
    const file = sealKeystore(PHRASE, password, 'testnet')
    expect(openKeystore(file, password, 'testnet')).toBe(PHRASE)
    expect(() => openKeystore(file, password, 'mainnet')).toThrow('is for testnet, and this is mainnet')
    const forged = JSON.stringify({ ...JSON.parse(file), environment: 'mainnet' })
    expect(() => openKeystore(forged, password, 'mainnet')).toThrow('damaged')
    const { environment, ...bare } = JSON.parse(file)
    expect(environment).toBe('testnet')
    expect(() => openKeystore(JSON.stringify(bare), password, 'mainnet')).toThrow('damaged')
  })

  it('returns the phrase only for the right password', () => {
    const file = sealKeystore(PHRASE, 'correct horse battery')
    expect(file).not.toContain('junk')
    expect(openKeystore(file, 'correct horse battery')).toBe(PHRASE)
    expect(() => openKeystore(file, 'correct horse batterx')).toThrow('wrong password, or a damaged file')
  })

  it('notices a changed file', () => {
    const file = JSON.parse(sealKeystore(PHRASE, 'correct horse battery'))
    const text = Buffer.from(file.cipher.text, 'base64')
    text[0] = (text[0] ?? 0) ^ 1
    file.cipher.text = text.toString('base64')
    expect(() => openKeystore(JSON.stringify(file), 'correct horse battery')).toThrow('damaged')
    expect(() => openKeystore('{}', 'x')).toThrow('not a Causeway keystore')
  })
})

it('node addresses are logged without their API keys', () => {
  expect(hideAddresses('fetch https://user:pw@node.example/v3/0123abc failed')).toBe(
    'fetch https://node.example/… failed',
  )
  expect(hideAddresses('postgres://causeway:pw@db/causeway')).not.toContain('pw')
})

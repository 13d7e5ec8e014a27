import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { expect, test } from 'vitest'
import { verifyMessage } from './verify-message.ts'

const base58 = (bytes: Uint8Array) => getBase58Decoder().decode(bytes)
const wallet = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return { address: base58(x), key: privateKey }
}
const signed = (text: string, key: KeyObject) => sign(null, Buffer.from(text), key)
const text = 'Send the money of my swap back to this address.\n\nAddress: ü'

test('the bytes of the text, signed with the key of the address, in base58 or base64', async () => {
  const { address, key } = wallet()
  const bytes = signed(text, key)
  for (const signature of [base58(bytes), bytes.toString('base64')])
    expect(await verifyMessage({ address, text, signature })).toBe(true)
})

test('another text, another address, and malformed signatures are rejected', async () => {
  const { address, key } = wallet()
  const signature = base58(signed(text, key))
  expect(await verifyMessage({ address, text: `${text}.`, signature })).toBe(false)
  expect(await verifyMessage({ address: wallet().address, text, signature })).toBe(false)
  for (const broken of ['', '0', signature.slice(1), `${signature}1`, Buffer.alloc(64).toString('base64'), '===='])
    expect(await verifyMessage({ address, text, signature: broken })).toBe(false)
  // All zeros is a point of small order, for which signatures can be forged without a key.
  const nobody = '11111111111111111111111111111111'
  expect(await verifyMessage({ address: nobody, text, signature: Buffer.alloc(64).toString('base64') })).toBe(false)
})

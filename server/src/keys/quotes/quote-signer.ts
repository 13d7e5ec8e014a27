/** Signs quotes for clients, with a key derived from the recovery phrase that moves no money. */
import { createHash } from 'node:crypto'
import type { Signer } from '@causeway/core'
import { QUOTE_KEY } from './quote-key.ts'

export interface QuoteSigner {
  keyId: string
  publicKey: Uint8Array
  sign(text: string): Promise<Uint8Array>
}

const KEY_ID_LENGTH = 16

export async function createQuoteSigner(signer: Signer): Promise<QuoteSigner> {
  const publicKey = await signer.publicKey(QUOTE_KEY)
  return {
    keyId: createHash('sha256').update(publicKey).digest('hex').slice(0, KEY_ID_LENGTH),
    publicKey,
    sign: (text) => signer.sign(QUOTE_KEY, Buffer.from(text), { quote: text }),
  }
}

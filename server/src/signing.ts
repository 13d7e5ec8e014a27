/** Signs what is promised to clients, with a key of the service's own recovery phrase that moves no money. */
import { createHash } from 'node:crypto'
import type { KeyRef, Signer } from '@causeway/core'

export interface QuoteSigner {
  keyId: string
  publicKey: Uint8Array
  sign(text: string): Promise<Uint8Array>
}

/** Under a number that no chain uses, so that it is never the key of a wallet. */
const KEY: KeyRef = { curve: 'ed25519', path: "m/44'/20261'/0'" }
const KEY_ID_LENGTH = 16

export async function createQuoteSigner(signer: Signer): Promise<QuoteSigner> {
  const publicKey = await signer.publicKey(KEY)
  return {
    keyId: createHash('sha256').update(publicKey).digest('hex').slice(0, KEY_ID_LENGTH),
    publicKey,
    sign: (text) => signer.sign(KEY, Buffer.from(text), { quote: text }),
  }
}

/**
 * The keys of a signer process: public keys, its policy's opinion on an order, and signatures of quotes. It gives no
 * bare signature of a transaction: `keys/orders/remote.ts` has whole orders signed and gets their bytes.
 */
import { Bug, type KeyRef, type Signer } from '@causeway/core'
import { z } from 'zod'
import { isPublicKey, isSignature } from '../curves/signature.ts'
import { isQuoteKey } from '../quotes/quote-key.ts'
import { askSigner, type SignerConnection } from './http.ts'
import { ExchangesAnswer, PATHS, PublicKeyAnswer, QuoteAnswer, writeOrder } from './protocol.ts'
import { SignerRefusal } from './refusal.ts'

export function remoteSigner(connection: SignerConnection): Signer {
  // Each key is requested once and cached: a public key that changed later would change the addresses derived from it.
  const known = new Map<string, Promise<Uint8Array>>()
  const publicKey = (key: KeyRef): Promise<Uint8Array> => {
    const name = `${key.curve} ${key.path}`
    const asked = known.get(name) ?? askPublicKey(connection, key)
    known.set(name, asked)
    asked.catch(() => known.delete(name))
    return asked
  }
  return {
    publicKey,
    async sign(key, digest, intent) {
      if (!('quote' in intent) || !isQuoteKey(key)) {
        throw new SignerRefusal('a signer process signs whole orders and quotes, and no bare digest')
      }
      const expected = await publicKey(key)
      const { signature } = await askSigner(connection, PATHS.quote, { quote: intent.quote }, QuoteAnswer)
      const bytes = fromHex(signature)
      if (!isSignature(key.curve, bytes, digest, expected)) {
        throw new Bug("the signer's answer is not a signature of its key", { path: key.path })
      }
      return bytes
    },
    async review(network, order) {
      await askSigner(connection, PATHS.review, { network, order: writeOrder(order) }, z.unknown())
    },
    async exchangeScope() {
      return (await askSigner(connection, PATHS.exchanges, {}, ExchangesAnswer)).networks
    },
  }
}

async function askPublicKey(connection: SignerConnection, key: KeyRef): Promise<Uint8Array> {
  const answer = await askSigner(connection, PATHS.publicKey, { key }, PublicKeyAnswer)
  const bytes = fromHex(answer.public_key)
  if (!isPublicKey(key.curve, bytes)) throw new Bug("the signer's answer is not a public key", { path: key.path })
  return bytes
}

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}

/** Signs quotes and deposit actions. An unchanged statement is not signed again, because clients poll. */
import { boundedMap } from '@causeway/chain-kit'
import { type QuoteSignature, quoteStatement, type SignedParts } from '@causeway/sdk'
import type { Services } from '../../services.ts'

/** A few megabytes; dropped entries are signed again. */
const MAX_REMEMBERED = 5_000

/** Adds the signature of quote and deposit actions to a response. */
export async function signed<Data extends SignedParts>(
  services: Services,
  data: Data,
): Promise<Data & { signature: QuoteSignature }> {
  return { ...data, signature: await signatureOf(services, data) }
}

interface Signed {
  statement: string
  signedAt: string
  signature: Promise<QuoteSignature>
}

/** Cache: the last signed quote of each swap, by signer. */
const remembered = new WeakMap<Services['quoteSigner'], Map<string, Signed>>()

function signatureOf({ quoteSigner, now }: Services, parts: SignedParts): Promise<QuoteSignature> {
  const known = memoryOf(quoteSigner)
  const { id } = parts.swap
  const before = known.get(id)
  if (before && quoteStatement(parts, before.signedAt) === before.statement) return before.signature
  const signedAt = now().toISOString()
  const statement = quoteStatement(parts, signedAt)
  const signature = sign(quoteSigner, statement, signedAt)
  signature.catch(() => known.delete(id))
  known.set(id, { statement, signedAt, signature })
  return signature
}

async function sign(signer: Services['quoteSigner'], statement: string, signedAt: string): Promise<QuoteSignature> {
  const signature = await signer.sign(statement)
  return {
    key_id: signer.keyId,
    algorithm: 'ed25519',
    signed_at: signedAt,
    value: Buffer.from(signature).toString('base64'),
  }
}

function memoryOf(signer: Services['quoteSigner']): Map<string, Signed> {
  const known = remembered.get(signer) ?? boundedMap(MAX_REMEMBERED)
  remembered.set(signer, known)
  return known
}

/** Signs what an answer promises. A statement that was signed before is not signed again: clients poll. */
import { type QuoteSignature, quoteStatement, type SignedParts } from '@causeway/sdk'
import type { Services } from '../../services.ts'

/** A few megabytes; whoever falls out is signed anew. */
const MAX_REMEMBERED = 5_000

/** Adds the signature of quote and deposit actions to an answer. */
export async function signed<Data extends SignedParts>(
  services: Services,
  data: Data,
): Promise<Data & { signature: QuoteSignature }> {
  return { ...data, signature: await signatureOf(services, data) }
}

const remembered = new WeakMap<Services['quoteSigner'], Map<string, Promise<QuoteSignature>>>()

function signatureOf(services: Services, parts: SignedParts): Promise<QuoteSignature> {
  const known = memoryOf(services.quoteSigner)
  const subject = quoteStatement(parts, '')
  const before = known.get(subject)
  if (before) return before
  const signing = sign(services, parts)
  signing.catch(() => known.delete(subject))
  known.set(subject, signing)
  const [oldest] = known.keys()
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest)
  return signing
}

async function sign({ quoteSigner, now }: Services, parts: SignedParts): Promise<QuoteSignature> {
  const signedAt = now().toISOString()
  const signature = await quoteSigner.sign(quoteStatement(parts, signedAt))
  return {
    key_id: quoteSigner.keyId,
    algorithm: 'ed25519',
    signed_at: signedAt,
    value: Buffer.from(signature).toString('base64'),
  }
}

function memoryOf(signer: Services['quoteSigner']): Map<string, Promise<QuoteSignature>> {
  const known = remembered.get(signer) ?? new Map()
  remembered.set(signer, known)
  return known
}

/** Verifies that the service signed a quote and its deposit address. Uses only WebCrypto. */
import type { QuoteSignature, WellKnown } from '../types.ts'
import { quoteStatement, type SignedParts } from '../wire/statement.ts'
import { fromBase64 } from './base64.ts'
import { VerificationError } from './errors.ts'

/**
 * The swap that the user wants, from the depositor and not from the page that created it. A proxy can answer with a swap of its own:
 * the service signs that one too.
 */
interface Expected {
  /** The id of the swap that was asked for; unknown while it is being created. */
  id?: string
  destination_address?: string
  /** The refund address; null if none was given: then only a sender that can safely be refunded is. */
  refund_address?: string | null
}

/**
 * Throws a `VerificationError` if the quote, its expiry, the recipient, the refund address or the deposit actions are
 * not what the service signed, or if id or address are not the expected ones. The keys must come from a source that you
 * trust more than the response: pinned in your program, or read over another path.
 */
export async function verifyQuote(
  answer: { [Part in keyof SignedParts]?: SignedParts[Part] | undefined } & { signature?: QuoteSignature | undefined },
  { quote_signing_keys: keys }: Pick<WellKnown, 'quote_signing_keys'>,
  expected: Expected = {},
): Promise<void> {
  const { quote, swap, deposit_actions, signature } = answer
  if (!quote || !swap || !deposit_actions || !signature) {
    throw new VerificationError('the answer carries no signature: was it asked for without its deposit actions?')
  }
  const known = keys.find(({ key_id, algorithm }) => key_id === signature.key_id && algorithm === 'ed25519')
  if (!known || signature.algorithm !== 'ed25519') {
    throw new VerificationError(`the quote was signed with a key that is not known, ${signature.key_id}`)
  }
  const key = await crypto.subtle.importKey('raw', fromBase64(known.public_key), 'Ed25519', false, ['verify'])
  const text = new TextEncoder().encode(quoteStatement({ quote, swap, deposit_actions }, signature.signed_at))
  if (!(await crypto.subtle.verify('Ed25519', key, fromBase64(signature.value), text))) {
    throw new VerificationError('the quote is not what the service signed')
  }
  for (const name of ['id', 'destination_address', 'refund_address'] as const) {
    if (expected[name] !== undefined && expected[name] !== swap[name])
      throw new VerificationError(`the swap's ${name} is ${swap[name]} and not ${expected[name]}`)
  }
}

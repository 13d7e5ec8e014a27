/**
 * The only place that makes a `VerifiedAction`: signed by the service with a trusted key, and matching the terms that
 * the user reviewed. QR codes, copy buttons and wallets accept nothing else.
 */
import type { WalletAction } from '@causeway/core/wallet'
import {
  type DepositAction,
  quoteStatement,
  type SwapDetails,
  VerificationError,
  verifyQuote,
} from '@causeway/sdk/light'
import { isAsAgreed, type Terms } from './agreed.ts'
import { trustedKeys } from './keys.ts'

declare const brand: unique symbol
export type VerifiedAction = WalletAction &
  Pick<DepositAction, 'typed_data'> & { readonly swap_id: string; readonly [brand]: true }

export type Verdict =
  | { state: 'verified'; actions: VerifiedAction[]; fingerprint: string }
  /** `code` is for the report to the operator. */
  | { state: 'refused'; code: string }
  | { state: 'new_key'; fingerprint: string }

/** `wanted`: the swap that was asked for, whose terms this browser may not know. Absent if it was just made. */
export async function verify(answer: SwapDetails, terms: Terms | null, wanted?: string): Promise<Verdict> {
  const { keys, isNew, fingerprint } = await trustedKeys()
  if (isNew) return { state: 'new_key', fingerprint }
  const code = `${answer.swap.id.slice(0, 8)}-${answer.signature?.key_id ?? 'unsigned'}`
  if (!(await isSigned(answer, keys))) return { state: 'refused', code }
  // The signed swap of another person has good terms too, for that person.
  if (wanted && answer.swap.id !== wanted.toLowerCase()) return { state: 'refused', code: `${code}-swap` }
  if (terms && !isAsAgreed(answer, terms)) return { state: 'refused', code: `${code}-terms` }
  const actions = (answer.deposit_actions ?? []).map((action) => branded(action, answer.swap.id))
  return { state: 'verified', actions, fingerprint }
}

type Keys = Awaited<ReturnType<typeof trustedKeys>>['keys']

async function isSigned(answer: SwapDetails, keys: Keys): Promise<boolean> {
  try {
    await verifyQuote(answer, { quote_signing_keys: keys })
    return true
  } catch (error) {
    if (error instanceof VerificationError) return false
    return isSignedByHand(answer, keys)
  }
}

/** Verifies the signature in JavaScript, for browsers whose WebCrypto lacks Ed25519. */
async function isSignedByHand({ quote, swap, deposit_actions, signature }: SwapDetails, keys: Keys): Promise<boolean> {
  const key = keys.find(({ key_id }) => key_id === signature?.key_id)
  if (!key || !signature || !deposit_actions) return false
  const { verifyAsync } = await import('@noble/ed25519')
  const text = new TextEncoder().encode(quoteStatement({ quote, swap, deposit_actions }, signature.signed_at))
  return verifyAsync(bytesOf(signature.value), text, bytesOf(key.public_key)).catch(() => false)
}

function branded(action: DepositAction, swapId: string): VerifiedAction {
  return { ...action, swap_id: swapId } as unknown as VerifiedAction
}

/** The action for the remaining amount after a part arrived: the same address, never more than the signed amount. */
export function restOf(action: VerifiedAction, came: bigint): VerifiedAction {
  const asked = BigInt(action.amount_in_base_units)
  const rest = came > 0n && came < asked ? asked - came : asked
  return { ...action, amount_in_base_units: rest.toString() }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

/** The change that a transaction made in a jetton wallet (TEP-74), read from its incoming message. */
import { JETTON_INTERNAL_TRANSFER, JETTON_TRANSFER } from '../jetton.ts'
import { internalIn, sliceOf, type TonTransaction } from '../transaction.ts'

const JETTON_BURN = 0x595f07bc
const JETTON_BURN_NOTIFICATION = 0x7bdd97de
const BOUNCED = 0xffffffff

/** The change of a jetton balance: positive for incoming, negative for outgoing. */
export function jettonChange(transaction: TonTransaction): bigint {
  const message = internalIn(transaction)
  if (!message || transaction.isAborted) return 0n
  const body = sliceOf(message.body)
  // A bounced body begins with its own marker.
  if (message.info.bounced && (body.remainingBits < 32 || body.loadUint(32) !== BOUNCED)) return 0n
  if (body.remainingBits < 32 + 64 + 4) return 0n
  const word = body.loadUint(32)
  const units = body.skip(64).loadCoins()
  if (message.info.bounced) return word === JETTON_INTERNAL_TRANSFER || word === JETTON_BURN_NOTIFICATION ? units : 0n
  if (word === JETTON_INTERNAL_TRANSFER) return units
  return word === JETTON_TRANSFER || word === JETTON_BURN ? -units : 0n
}

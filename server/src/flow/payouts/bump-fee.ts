/**
 * A second signature, in the same slot: a dearer payment of the same, or a cancellation that uses the slot up and pays nobody.
 * Of all that was signed in a slot one can land, so neither can pay twice.
 */
import { type ChainAdapter, type Order, RetryLater } from '@causeway/core'
import type { Services } from '../../services.ts'
import { type AttemptRow, addAttempts } from '../../store/payouts/attempts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import { refuseHalted } from '../checks/policy.ts'
import { effortFor, orderFor, send, signedOf } from './send.ts'
import { signIn } from './sign.ts'

/** Signs anew in place of `last`, stores and sends. Where no better terms can be had, the last bytes go out once more. */
export async function replace(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  last: AttemptRow,
  as: 'payment' | 'cancellation',
): Promise<void> {
  const { slot, attempts, payouts } = record
  const cancels = as === 'cancellation'
  const order: Order = cancels ? { kind: 'cancel', account: slot.account } : await orderFor(services, payouts)
  const effort = cancels ? 0n : await effortFor(services, chain, payouts)
  const draft = await chain.prepare(order, signedOf(last), effort).catch(async (error) => {
    // No dearer one can be made now. What is signed must come to its end all the same: the account waits behind it.
    if (!cancels || last.cancels) await send(services, chain, record, last)
    throw error
  })
  await refuseHalted(services, slot)
  const transfer = await signIn(chain, order, slot.parts, draft)
  const number = attempts.length
  const [attempt] = await addAttempts(
    services.database,
    [{ slotId: slot.id, number, transfer, cancels }],
    services.now(),
  )
  if (!attempt) throw new RetryLater('the attempt was not stored')
  services.metrics.payouts.inc({ network: slot.network, step: 'replaced' })
  services.metrics.payouts.inc({ network: slot.network, step: 'signed' })
  await send(services, chain, record, attempt)
}

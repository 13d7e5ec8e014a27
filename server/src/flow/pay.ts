/**
 * Sign, store, send. A payout is put into a slot that is stored first, then signed, and the bytes are stored before they
 * are sent; after a crash at any point the same slot and the same bytes are taken up again. Runs in the lane of the
 * signing account, one at a time; the constraints of the store hold even where two run at once.
 */
import { type ChainAdapter, RetryLater, Unpayable } from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { addAttempts } from '../store/attempts.ts'
import { readPayout } from '../store/payouts.ts'
import { liveSlot, type SlotRecord } from '../store/slotrecords.ts'
import type { PayoutRow } from '../store/swaps.ts'
import { beginPayouts } from './begin.ts'
import { resume } from './dispatch.ts'
import { requireKnownHistory } from './history.ts'
import { postpone, Rejected } from './postpone.ts'
import { refuseDoubtful } from './recognise.ts'
import { checkRelay } from './relay.ts'
import { orderFor, send, signedOf } from './send.ts'

/** Sending the same bytes again sooner than this tells a node nothing new. */
const RESEND_AFTER_MS = 4_000
/** A payout that landed and reverted this often is not tried again. */
const MAX_REVERTS = 2

export async function pay(services: Services, payoutId: string): Promise<void> {
  const payout = await readPayout(services.database, payoutId)
  if (!payout || payout.state === 'abandoned') return
  try {
    const chain = chainOf(services.chains, payout.network)
    const standing = await liveSlot(services.database, payoutId)
    // What counts already is only ever sent again, in its own slot, where a reorg threw it out.
    if (payout.state === 'confirmed' && standing?.slot.state !== 'open') return
    if (standing?.attempts.some(({ sent_at }) => sent_at !== null)) return await continueSlot(services, chain, standing)
    const refusals = await resume(services, chain, payout)
    if (refusals.has(payoutId)) throw refusals.get(payoutId)
    if (!standing) await start(services, chain, payout)
  } catch (error) {
    await postpone(services, payout, error)
  }
}

async function start(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<void> {
  await requireKnownHistory(services, chain)
  // Before a rejection as well: what may have been paid must not be sent back either.
  const doubt = (await refuseDoubtful(services, [payout])).get(payout.id)
  if (doubt) throw doubt
  if (payout.rejected_at) throw new Rejected('an operator has rejected it')
  await checkRelay(services, payout)
  if (payout.reverts >= MAX_REVERTS) throw new Unpayable('the chain refused it again and again')
  await beginPayouts(services, chain, payout)
}

/** It was sent: it is sent again where nothing came of it, and after a while replaced by a dearer one in the same slot. */
async function continueSlot(services: Services, chain: ChainAdapter, record: SlotRecord): Promise<void> {
  const { slot, attempts, payouts } = record
  const last = attempts.at(-1)
  if (!last) return
  // A dearer one was signed and stored, and a crash or a node kept it from going out.
  if (!last.sent_at) return send(services, chain, record, last)
  const age = services.now().getTime() - last.sent_at.getTime()
  // The others of a batch come here too, each with its own job: one broadcast serves all.
  if (age < RESEND_AFTER_MS) return
  const stuckAfterMs = chain.network.stuckAfterMs ?? services.config.STUCK_AFTER_SECONDS
  if (age < stuckAfterMs) return send(services, chain, record, last)
  const order = await orderFor(services, payouts)
  const draft = await chain.prepare(order, signedOf(last)).catch(async (error) => {
    // No dearer one can be made now. What is signed must come to its end all the same: the account waits behind it.
    await send(services, chain, record, last)
    throw error
  })
  services.metrics.payouts.inc({ network: slot.network, step: 'replaced' })
  const transfer = await chain.sign(order, slot.parts, draft)
  const [attempt] = await addAttempts(services.database, [{ slotId: slot.id, number: attempts.length, transfer }])
  if (!attempt) throw new RetryLater('the attempt was not stored')
  services.metrics.payouts.inc({ network: slot.network, step: 'signed' })
  await send(services, chain, record, attempt)
}

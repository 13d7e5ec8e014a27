/**
 * Sign, store, send. A payout is put into a slot that is stored first, then signed, and the bytes are stored before they
 * are sent; after a crash at any point the same slot and the same bytes are taken up again. Runs in the lane of the
 * signing account, one at a time; the constraints of the store hold even where two run at once.
 */
import { type ChainAdapter, PayoutImpossible, PermanentlyRejected, RetryLater } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import { readOpenHold } from '../../store/payouts/holds.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { liveSlot, type SlotRecord } from '../../store/payouts/slot-records.ts'
import { wantCancel } from '../../store/payouts/slots.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { requireKnownHistory } from '../checks/history.ts'
import { isLostUnsent } from '../checks/policy.ts'
import { refuseDoubtful } from '../checks/recognise.ts'
import { checkRelay, isCall } from '../kinds/relay.ts'
import { countAsMade } from '../landing/undo.ts'
import { replace } from './bump-fee.ts'
import { resume } from './dispatch.ts'
import { beginPayouts } from './plan.ts'
import { giveBack } from './release-slot.ts'
import { hasNoHope, postpone, Rejected } from './retry.ts'
import { send } from './send.ts'

/** Sending the same bytes again sooner than this tells a node nothing new. */
const RESEND_AFTER_MS = 4_000
/** A payout that landed and reverted, or that no node took until its slot was cancelled, this often is not tried again. */
const MAX_REVERTS = 2
/** What others signed for is tried once: their code may have passed our trial and refused us on chain, at our cost. */
const MAX_CALL_REVERTS = 1

export async function pay(services: Services, payoutId: string): Promise<void> {
  const [payout, standing] = await Promise.all([
    readPayout(services.database, payoutId),
    liveSlot(services.database, payoutId),
  ])
  if (!payout || payout.state === 'abandoned') return
  // What counted once and was undone is a person's to decide: rejected, it counts as made; approved, it is undone no longer.
  if (payout.undone) return countAsMade(services, payout)
  try {
    const chain = chainOf(services.chains, payout.network)
    // What counts already is only ever sent again, in its own slot, where a reorg threw it out.
    if (payout.state === 'confirmed' && standing?.slot.state !== 'open') return
    if (standing && isUnderWay(services, chain, standing)) {
      await resume(services, chain, payout, standing.slot.id)
      return await continueSlot(services, chain, standing, payout)
    }
    if (standing?.slot.cancel_at && standing.attempts.length === 0) {
      // In which nothing was signed: mostly no transaction is needed for it.
      if (!(await giveBack(services, chain, standing))) return
      return await start(services, chain, payout, await objectionTo(services, chain, payout))
    }
    // Both settle before the job ends: nothing of it goes on after an error.
    const [resumed, looked] = await Promise.allSettled([
      resume(services, chain, payout),
      standing ? null : objectionTo(services, chain, payout),
    ])
    if (resumed.status === 'rejected') throw resumed.reason
    if (looked.status === 'rejected') throw looked.reason
    const refusals = resumed.value
    if (refusals?.has(payoutId)) throw refusals.get(payoutId)
    if (standing) return
    await start(services, chain, payout, looked.value)
  } catch (error) {
    if (error instanceof PermanentlyRejected) await cancelUnsendable(services, payout, error)
    await postpone(services, payout, error)
  }
}

/**
 * No node will ever take what stands in its slot, and on many chains everything of the wallet waits behind it: the slot is
 * to be used up by a cancellation, which is signed in the same slot, so that whatever a node does after all is done once.
 */
async function cancelUnsendable(services: Services, { id, network, account }: PayoutRow, error: Error): Promise<void> {
  if (chainOf(services.chains, network).replacement === 'none') return
  if (!(await wantCancel(services.database, id, services.now()))) return
  services.metrics.alerts.inc()
  const fields = { network, account, payoutId: id, reason: error.message }
  services.log.error(fields, 'no node will ever take a transaction: its slot is cancelled')
}

/**
 * Why it may have been paid before, or why that is not known now; null if nothing says so. A doubt comes first: a node that is down
 * must not turn it into trouble, which is given up after a while.
 */
async function objectionTo(services: Services, chain: ChainAdapter, payout: PayoutRow): Promise<unknown> {
  const [doubts, history] = await Promise.allSettled([
    refuseDoubtful(services, [payout]),
    requireKnownHistory(services, chain, [payout]),
  ])
  if (doubts.status === 'rejected') return doubts.reason
  return doubts.value.get(payout.id) ?? (history.status === 'rejected' ? history.reason : null)
}

async function start(services: Services, chain: ChainAdapter, payout: PayoutRow, objection: unknown): Promise<void> {
  // Before a rejection as well: what may have been paid must not be sent back either.
  if (objection) throw objection
  if (payout.rejected_at) throw new Rejected('an operator has rejected it')
  await checkRelay(services, payout)
  if (payout.reverts >= (isCall(payout) ? MAX_CALL_REVERTS : MAX_REVERTS))
    throw new PayoutImpossible('the chain refused it again and again')
  await beginPayouts(services, chain, payout)
}

/** Something of it was sent, or was signed so long ago that a first send has failed; or it is to be cancelled. */
function isUnderWay(services: Services, chain: ChainAdapter, { slot, attempts }: SlotRecord): boolean {
  const last = attempts.at(-1)
  if (!last) return false
  const isOld = services.now().getTime() - last.created_at.getTime() >= stuckAfterMs(services, chain)
  return isOld || slot.cancel_at !== null || attempts.some(({ sent_at }) => sent_at !== null)
}

/**
 * It is sent again where nothing came of it, and after a while replaced by a dearer one in the same slot, also where no node
 * took the first one. Where that went on for so long that others would be given up, or an operator asks for it, the slot is
 * used up by a cancellation: the account waits behind it.
 */
async function continueSlot(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  payout: PayoutRow,
): Promise<void> {
  const last = record.attempts.at(-1)
  if (!last) return
  // An operator's word comes first; what counts already is not undone by it.
  const wantsCancel = record.slot.cancel_at !== null && payout.state === 'open'
  if (wantsCancel && chain.replacement === 'none') {
    const fields = { network: chain.network.name, payoutId: payout.id, slot: record.slot.parts }
    services.log.warn(fields, 'nothing can be cancelled on this network: the payout waits for its end')
  }
  const isUnwanted = wantsCancel && chain.replacement !== 'none'
  if (isUnwanted && !last.cancels) return replaceWedged(services, chain, record, payout, 'cancellation')
  const isHopeless = hasNoHope(services, payout)
  const age = services.now().getTime() - (last.sent_at ?? last.created_at).getTime()
  const mayReplace = age >= stuckAfterMs(services, chain) && chain.replacement !== 'none'
  // The others of a batch come here too, each with its own job: one broadcast serves all.
  if (last.sent_at && age < RESEND_AFTER_MS) return
  if (last.sent_at && mayReplace && !isHopeless) {
    return replace(services, chain, record, last, last.cancels ? 'cancellation' : 'payment')
  }
  if (!last.cancels && chain.replacement !== 'none' && (await isLostUnsent(services, record)))
    return replaceWedged(services, chain, record, payout, 'cancellation')
  // Nothing came of it, or a crash or a node kept it from going out.
  const refusal = await send(services, chain, record, last).then(
    () => null,
    (error: unknown) => error,
  )
  if (refusal === null) return
  if (!mayReplace) throw refusal
  await replaceWedged(services, chain, record, payout, last.cancels || isHopeless ? 'cancellation' : 'payment')
}

/** Every later nonce of the wallet waits behind a transaction that no node accepts and that cannot be replaced now. */
class WalletBlocked extends RetryLater {
  override name = 'WalletBlocked'
}

/** No node takes what stands in the slot, and on many chains all later payouts of the wallet wait behind it. */
async function replaceWedged(
  services: Services,
  chain: ChainAdapter,
  record: SlotRecord,
  payout: PayoutRow,
  as: 'payment' | 'cancellation',
): Promise<void> {
  const last = record.attempts.at(-1)
  if (!last) return
  const { network, account, parts } = record.slot
  const fields = { network, account, slot: parts, payoutId: payout.id, as }
  try {
    await replace(services, chain, record, last, as)
    services.log.warn(fields, 'a transaction that no node took was replaced')
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error
    const blocked = new WalletBlocked(`the wallet is wedged: ${error.message}`)
    const known = await readOpenHold(services.database, payout.id)
    if (!(known?.hold.code === 'trouble' && known.hold.error === blocked.name)) {
      services.metrics.alerts.inc()
      services.log.error({ ...fields, reason: error.message }, 'a wallet is wedged: no node takes its next transaction')
    }
    throw blocked
  }
}

function stuckAfterMs({ config }: Services, { network }: ChainAdapter): number {
  return network.stuckAfterMs ?? config.stuckAfterMs
}

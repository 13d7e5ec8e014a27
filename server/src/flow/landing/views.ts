/** Turns rows and chain settings into the input of the payout state machine. */
import type {
  Address,
  AttemptView,
  ChainAdapter,
  PayoutMachineFacts,
  PayoutView,
  SlotView,
  TransferStatus,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { AttemptRow } from '../../store/payouts/attempts.ts'
import type { SlotRecord } from '../../store/payouts/slot-records.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

export function payoutView({ id, kind, state, reverts, leg }: PayoutRow): PayoutView {
  const validUntil = leg?.deadline ? new Date(leg.deadline) : null
  return { id, kind, state, reverts, isLeg: leg !== null, validUntil }
}

export function slotView({ now }: Services, { slot }: SlotRecord): SlotView {
  return { ageMs: now().getTime() - slot.created_at.getTime(), isSignedBehind: false, hasGapBefore: false }
}

/** `statuses`: the chain status of each attempt, in order; absent if the chain was not asked. */
export function attemptViews(attempts: readonly AttemptRow[], statuses?: readonly TransferStatus[]): AttemptView[] {
  return attempts.map(({ hash, cancels, created_at, accepted_at, sent_at, refused_at }, at) => ({
    ...{ hash, cancels, createdAt: created_at, firstAcceptedAt: accepted_at, lastAcceptedAt: sent_at },
    ...{ isPermanentlyRejected: refused_at !== null, status: statuses?.[at] ?? null },
  }))
}

/**
 * The machine's input without objections, decisions and outcomes. `chain` is undefined if its network is not
 * configured; `account` is the wallet of the payouts.
 */
export function plainFacts(services: Services, chain: ChainAdapter | undefined, account: Address): PayoutMachineFacts {
  const { config } = services
  const hasKeys = account === chain?.treasury
  return {
    now: services.now(),
    policy: {
      ...{ confirmations: 0, finalDepth: chain?.network.finalDepth ?? 0 },
      stuckAfterMs: chain?.network.stuckAfterMs ?? config.stuckAfterMs,
      ...{ giveUpMs: config.payoutGiveUpMs, patienceMs: config.payoutPatienceMs },
    },
    chain: {
      isConfigured: chain !== undefined,
      isOrdered: chain?.ordering !== undefined,
      canReplace: hasKeys && chain?.replacement !== 'none',
      hasKeys,
    },
    ...{ objections: [], isSourceLost: false, isSourceInDoubt: false, isCancelWanted: false, wasPaid: false },
    ...{ troubleMs: 0, outcome: null },
  }
}

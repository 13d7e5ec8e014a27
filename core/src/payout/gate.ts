/**
 * The gate before every signature. It collects all *objections* to a payout (reasons not to sign), each with a code and
 * a class, and decides which of them stop this signature. Nothing is signed, given up or refunded without asking the
 * gate.
 */
import type { Usd } from '../money/money.ts'
import { covers, holdClass, type PayoutHold } from '../swap/hold.ts'
import type { PayoutKind } from '../swap/payout.ts'

/**
 * The purpose of a signature. `new`: the first one in a slot. `bump`: the same order again with a higher fee. `cancel`:
 * a transaction that pays nothing.
 */
export const PURPOSES = ['new', 'bump', 'cancel'] as const
export type Purpose = (typeof PURPOSES)[number]

/**
 * The effect of an objection. `hold`: the payout waits without a deadline. `wait`: it is retried, and may be given up
 * after a time. `end`: it is given up now.
 */
export type ObjectionClass = 'hold' | 'wait' | 'end'

interface Row {
  class: ObjectionClass
  bump: boolean | 'until accepted'
  cancel: boolean
  /**
   * Which payouts the objection applies to: `all`, only `relays`, or those that send money out of the service
   * (`leaving`).
   */
  of: 'all' | 'relays' | 'leaving'
}

const HOLD: Row = { class: 'hold', bump: false, cancel: false, of: 'leaving' }
const ALWAYS: Row = { class: 'hold', bump: true, cancel: true, of: 'all' }

/**
 * Every objection stops a new payment. Operators see the first one in the order of this table. The hold that an objection
 * raises has a code of its own in `swap/hold.ts`; other holds, such as `signer_refused`, come from signing itself.
 */
const TABLE = {
  // The payout may have been paid already. A bump or a cancellation uses the same slot, so it cannot pay twice.
  reorged: { ...HOLD, of: 'all' },
  restore: { ...HOLD, of: 'all' },
  // A halted wallet, or one whose signatures could repeat lost ones, signs nothing at all.
  stopped: ALWAYS,
  history: ALWAYS,
  halt: ALWAYS,
  // A bump adds no outflow, and a blocked nonce blocks every later payout of the wallet.
  switch: HOLD,
  price: HOLD,
  limit: HOLD,
  reverifying: HOLD,
  // The payout can be cancelled until a node accepts it. After that the loss has happened, and the payout must be
  // finished.
  deposit: { ...HOLD, bump: 'until accepted' },
  reward: HOLD,
  // A node may have invented what a sale brought. All that it is to pay for waits.
  proceeds: HOLD,
  // Bytes that were sent may be mined whatever the screening list says. An operator can cancel the payout.
  screening: HOLD,
  approval: HOLD,
  recipient_cap: HOLD,
  rejected: { class: 'end', bump: true, cancel: false, of: 'all' },
  relay: { class: 'end', bump: true, cancel: false, of: 'relays' },
  relay_busy: { class: 'wait', bump: true, cancel: false, of: 'relays' },
  unlooked: { ...HOLD, class: 'wait', of: 'all' },
  unscreened: { ...HOLD, class: 'wait' },
  liquidity: { ...HOLD, class: 'wait' },
} as const satisfies Record<string, Row>

export type ObjectionCode = keyof typeof TABLE
export const OBJECTION_CODES = Object.keys(TABLE) as ObjectionCode[]

export interface Objection {
  code: ObjectionCode
  class: ObjectionClass
  /** The hold that operators see and can approve. An objection of the class `wait` ends without an approval. */
  hold: PayoutHold
  /** Text of the underlying error, for operators. */
  detail: string | null
}

/** An objection found in the database, by a node or by another service, before the table is applied. */
export type Found = Pick<Objection, 'code' | 'hold'> & { detail?: string | null }

/** A deposit that funds a payout and whose block is in doubt. */
export interface DepositInDoubt {
  id: string
  txHash: string
  state: 'reverifying' | 'unlocatable' | 'lost'
}

export interface PayoutFacts {
  id: string
  kind: PayoutKind
  found: readonly Found[]
  deposits: readonly DepositInDoubt[]
  /** Whether a node has accepted a transaction in the payout's slot. */
  isAccepted: boolean
  /** Whether the payout has a slot. Limits were checked and its value was reserved when the slot was allocated. */
  isReserved: boolean
  symbol: string
  /** Null if the token has no price. */
  worth: Usd | null
  /** Above this value an operator must approve the payout; null if there is no such limit. */
  approvalAbove: Usd | null
  /** The limits that this payout counts against. */
  budgets: readonly string[]
  /** The dollars of each limit that payouts need which were ordered earlier and wait for it. Absent if none waits. */
  ahead?: ReadonlyMap<string, Usd>
  /** Holds of this payout that an operator approved. Each removes exactly the objection that was shown. */
  approved: readonly PayoutHold[]
}

/**
 * The objections that stop a signature of this purpose, per payout. `left`: what remains of each limit; these payouts
 * share it.
 */
export function objectionsTo(
  payouts: readonly PayoutFacts[],
  left: ReadonlyMap<string, Usd>,
  purpose: Purpose,
): Map<string, Objection[]> {
  const budget = new Map(left)
  const objections = new Map<string, Objection[]>()
  for (const facts of payouts) {
    const found = [...facts.found, ...ofDeposits(facts), ...ofValue(facts, budget)]
    const standing = found
      .filter(({ code }) => applies(code, facts, purpose))
      .filter(({ hold }) => !isApproved(facts, hold))
      .toSorted((a, b) => OBJECTION_CODES.indexOf(a.code) - OBJECTION_CODES.indexOf(b.code))
      .map(({ code, hold, detail = null }) => ({ code, class: TABLE[code].class, hold, detail }))
    if (standing.length > 0) objections.set(facts.id, standing)
    else for (const name of drawnOn(facts, budget)) budget.set(name, (budget.get(name) ?? 0n) - (facts.worth ?? 0n))
  }
  return objections
}

/** Whether an objection of this code stops a signature of this purpose. */
export function applies(
  code: ObjectionCode,
  { kind, isAccepted }: Pick<PayoutFacts, 'kind' | 'isAccepted'>,
  purpose: Purpose,
): boolean {
  const row: Row = TABLE[code]
  if (row.of === 'relays' && kind !== 'relay') return false
  if (row.of === 'leaving' && !isLeaving(kind)) return false
  if (purpose === 'new') return true
  if (purpose === 'bump') return row.bump === true || (row.bump === 'until accepted' && !isAccepted)
  return row.cancel
}

/** A sweep moves coins to our own wallet, and a call moves none: no money leaves the service. */
export function isLeaving(kind: PayoutKind): boolean {
  return kind !== 'sweep' && kind !== 'relay' && kind !== 'admin'
}

/**
 * Money that returns to its sender. It has limits of its own, so that deposits meant to be refunded cannot exhaust the
 * limit of other payouts.
 */
export function isReturned(kind: PayoutKind): boolean {
  return kind === 'refund' || kind === 'return'
}

function isApproved({ approved }: PayoutFacts, hold: PayoutHold): boolean {
  return holdClass(hold).isApprovable && approved.some((shown) => covers(shown, hold))
}

/** The objections because of deposits in doubt. One objection per deposit: approving one does not approve another. */
function ofDeposits({ deposits }: PayoutFacts): Found[] {
  const order = ['lost', 'unlocatable', 'reverifying']
  return deposits
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
    .map(({ id, txHash, state }): Found => {
      if (state === 'reverifying') return { code: 'reverifying', hold: { code: 'deposit_reverifying', txHash } }
      if (state === 'lost') return { code: 'deposit', hold: { code: 'deposit_lost', txHash, deposit: id } }
      return { code: 'deposit', hold: { code: 'deposit_unlocatable', txHash } }
    })
}

function ofValue(facts: PayoutFacts, left: ReadonlyMap<string, Usd>): Found[] {
  const { worth, approvalAbove, symbol, ahead } = facts
  const budgets = drawnOn(facts, left)
  // A token without a price could have any value, so limits cannot be checked.
  if (worth === null)
    return budgets.length > 0 || approvalAbove !== null ? [{ code: 'price', hold: { code: 'no_price', symbol } }] : []
  const found: Found[] = []
  // A smaller payout does not overtake: with small ones alone, anyone could keep a larger one waiting for ever.
  if (budgets.some((name) => worth > (left.get(name) ?? 0n) - (ahead?.get(name) ?? 0n)))
    found.push({ code: 'limit', hold: { code: 'outflow_limit' } })
  if (approvalAbove !== null && worth > approvalAbove)
    found.push({ code: 'approval', hold: { code: 'approval_needed', usd: `${worth}` } })
  return found
}

/** The limits that apply. A payout with a slot was already counted when it got the slot. */
function drawnOn({ isReserved, budgets }: PayoutFacts, left: ReadonlyMap<string, Usd>): string[] {
  return isReserved ? [] : budgets.filter((name) => left.has(name))
}

/**
 * The one gate before every signature. It collects all objections to a payout, each with a code and a class, and says which of
 * them stop a signature of this purpose. Nothing is signed, given up or refunded before it was asked.
 */
import type { Usd } from '../money/money.ts'
import { covers, holdClass, type PayoutHold } from '../swap/hold.ts'
import type { PayoutKind } from '../swap/payout.ts'

/** `new`: the first signature of a slot. `bump`: the same order again, with a higher fee. `cancel`: it pays nothing. */
export const PURPOSES = ['new', 'bump', 'cancel'] as const
export type Purpose = (typeof PURPOSES)[number]

/** `hold` never expires. `wait` is retried and may run the give-up clock. `end` gives the payout up now. */
export type ObjectionClass = 'hold' | 'wait' | 'end'

interface Row {
  class: ObjectionClass
  bump: boolean | 'until accepted'
  cancel: boolean
  /** `all` payouts, `relays` only, or those by which money is `leaving` the service. */
  of: 'all' | 'relays' | 'leaving'
}

const HOLD: Row = { class: 'hold', bump: false, cancel: false, of: 'leaving' }
const ALWAYS: Row = { class: 'hold', bump: true, cancel: true, of: 'all' }

/** Every objection stops a new payment. The first one of a payout is the one that people are shown. */
const TABLE = {
  // It may have been paid. A known slot admits one transaction, so a bump or a cancellation cannot pay twice.
  reorged: { ...HOLD, of: 'all' },
  restore: { ...HOLD, of: 'all' },
  // A wallet that is halted, or whose signatures could repeat lost ones, signs nothing at all.
  stopped: ALWAYS,
  history: ALWAYS,
  halt: ALWAYS,
  // A bump adds no outflow, and a blocked nonce blocks every later payout of the wallet.
  switch: HOLD,
  price: HOLD,
  limit: HOLD,
  reverifying: HOLD,
  // Until a node accepted it, it can be cancelled. Afterwards it is a loss already and must come to its end.
  deposit: { ...HOLD, bump: 'until accepted' },
  reward: HOLD,
  // Sent bytes may be mined whatever the list says. An operator can cancel.
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
  /** What people are shown, and answer. A wait is shown as trouble. */
  hold: PayoutHold
  /** The text of the error behind it, for people. */
  detail: string | null
}

/** An objection that the database, a node or a service raised, before the table was asked. */
export type Found = Pick<Objection, 'code' | 'hold'> & { detail?: string | null }

/** A deposit that a payout is paid from and whose block is in doubt. */
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
  /** A node accepted a transaction of its slot. */
  isAccepted: boolean
  /** It has a slot: limits were checked and its value was reserved when the slot was allocated. */
  isReserved: boolean
  symbol: string
  /** Null if there is no price. */
  worth: Usd | null
  /** Above this value an operator must approve it; null if there is no such limit. */
  approvalAbove: Usd | null
  /** The limits that it draws on. */
  budgets: readonly string[]
  /** Holds of this payout that a person approved. Each removes exactly the objection that was shown. */
  approved: readonly PayoutHold[]
}

/** All objections that stop a signature of this purpose, by payout. `left`: what is left of each limit, for all of them together. */
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

/** A sweep brings our own coins home, and a call moves none of them: with both, nothing leaves. */
export function isLeaving(kind: PayoutKind): boolean {
  return kind !== 'sweep' && kind !== 'relay' && kind !== 'admin'
}

/** Money that goes back to whoever sent it. Its limits are counted apart: nobody can use up the limit of others with deposits. */
export function isReturned(kind: PayoutKind): boolean {
  return kind === 'refund' || kind === 'return'
}

function isApproved({ approved }: PayoutFacts, hold: PayoutHold): boolean {
  return holdClass(hold).isApprovable && approved.some((shown) => covers(shown, hold))
}

/** Each deposit is an objection of its own: an answer about one says nothing about another. */
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
  const { worth, approvalAbove, symbol } = facts
  const budgets = drawnOn(facts, left)
  // A token without a price could be worth anything.
  if (worth === null)
    return budgets.length > 0 || approvalAbove !== null ? [{ code: 'price', hold: { code: 'no_price', symbol } }] : []
  const found: Found[] = []
  if (budgets.some((name) => worth > (left.get(name) ?? 0n)))
    found.push({ code: 'limit', hold: { code: 'outflow_limit' } })
  if (approvalAbove !== null && worth > approvalAbove)
    found.push({ code: 'approval', hold: { code: 'approval_needed', usd: `${worth}` } })
  return found
}

/** The budgets that a limit is set for. What has a slot was counted when it got it. */
function drawnOn({ isReserved, budgets }: PayoutFacts, left: ReadonlyMap<string, Usd>): string[] {
  return isReserved ? [] : budgets.filter((name) => left.has(name))
}

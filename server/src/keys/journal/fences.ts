/**
 * The fences: what must not be signed, judged from the journal alone. They hold even if a rolled-back database goes unnoticed:
 * one order per slot, one slot per payout until the first is closed unpaid, and nothing for a deposit that was settled before.
 */
import {
  approvalKey,
  type Closing,
  type Entry,
  isSigned,
  partKey,
  payoutKey,
  printOf,
  type RecordedPayout,
  type Signature,
} from './line.ts'

/** Entries by key, oldest first. */
export type Find = (key: string) => Entry[]

export interface SlotRef {
  network: string
  account: string
  slot: readonly string[]
}

/** What is about to be signed. */
export interface Proposal extends SlotRef {
  attempt: number
  purpose: Signature['purpose']
  order: Signature['order']
  payouts: readonly RecordedPayout[]
  approvals: readonly string[]
  facts?: readonly string[]
  /** Ids of payouts that the database has for the same swaps and deposits. */
  known: readonly string[]
}

type Refusal =
  /** The slot, or a part of it, was signed for another order, or this attempt was. */
  | { code: 'slot_signed'; record: Entry<Signature> }
  | { code: 'payout_signed'; payout: string; record: Entry<Signature> }
  /** Payouts that settle the same deposit, reward or permit, and that the database did not name. */
  | { code: 'settled_before'; payouts: string[]; record: Entry<Signature> }
  /** Another value was given for a part of the slot before. */
  | { code: 'slot_changed' }
  | { code: 'approval_used'; approval: string }
  /** Another request is signing for the same slot or payout now. */
  | { code: 'signing_now' }

export type Verdict =
  /** It was signed before: these bytes, and no others. */
  | { is: 'recorded'; record: Entry<Signature> }
  | { is: 'refused'; refusal: Refusal }
  /** `isNew`: nothing was signed in this slot before. */
  | { is: 'free'; isNew: boolean; feeBefore: bigint }

export function judge(find: Find, proposal: Proposal): Verdict {
  const { slot, attempt, purpose } = proposal
  const print = printOf(proposal.order)
  const inSlot = signaturesIn(find, proposal)
  const recorded = inSlot.filter((one) => !isFreed(find, one)).find(({ content }) => content.attempt === attempt)
  const isSame = ({ content }: Entry<Signature>) =>
    printOf(content.order) === print && (purpose === 'cancel' || isSamePayouts(content.payouts, proposal.payouts))
  if (recorded && isSame(recorded)) return { is: 'recorded', record: recorded }
  if (recorded) return refused({ code: 'slot_signed', record: recorded })
  const bound = slot.flatMap((part) => bindingOf(find, proposal, part) ?? [])
  const other = bound.find((one) => !isSame(one))
  // A slot may always be cancelled. It stays bound to its order and takes no other.
  if (other && purpose !== 'cancel') return refused({ code: 'slot_signed', record: other })
  if (isChanged(find, proposal)) return refused({ code: 'slot_changed' })
  const refusal = purpose === 'cancel' ? null : (paidElsewhere(find, proposal) ?? usedApproval(find, proposal))
  if (refusal) return refused(refusal)
  const fees = bound.flatMap((one) => signaturesIn(find, one.content)).map(({ content }) => BigInt(content.fee))
  const feeBefore = fees.reduce((most, fee) => (fee > most ? fee : most), 0n)
  return { is: 'free', isNew: bound.length === 0, feeBefore }
}

/** All signatures in exactly this slot, oldest first. */
export function signaturesIn(find: Find, { network, account, slot }: SlotRef): Entry<Signature>[] {
  const [part = ''] = slot
  return find(partKey(network, account, part))
    .filter(isSigned)
    .filter(({ content }) => isSameSlot(content.slot, slot))
}

/** How the slot of a signature was closed last; null while it is open. */
export function closingOf(find: Find, { n, content }: Entry<Signature>): Closing | null {
  const [part = ''] = content.slot
  const closings = find(partKey(content.network, content.account, part)).flatMap((entry) =>
    entry.n > n && entry.content.type === 'closed' && isSameSlot(entry.content.slot, content.slot) ? entry.content : [],
  )
  return closings.at(-1) ?? null
}

/** Its slot was over and its parts given back: what is signed in the same parts now is another slot. */
function isFreed(find: Find, entry: Entry<Signature>): boolean {
  const freed = closingOf(find, entry)?.freed ?? []
  return entry.content.slot.every((part) => freed.includes(part))
}

/** The order that holds this part of a slot; null if it is free. A part that was signed in two slots is free when both are over. */
function bindingOf(find: Find, { network, account }: SlotRef, part: string): Entry<Signature> | null {
  let bound: Entry<Signature>[] = []
  for (const entry of find(partKey(network, account, part))) {
    const { content } = entry
    if (isSigned(entry)) bound.push(entry)
    else if (content.type === 'closed' && content.freed.includes(part)) {
      bound = bound.filter((one) => !isSameSlot(one.content.slot, content.slot))
    }
  }
  return bound[0] ?? null
}

function isChanged(find: Find, { network, account, slot, facts }: Proposal): boolean {
  return slot.some((part, position) => {
    const told = facts?.[position]
    if (told === undefined) return false
    return find(partKey(network, account, part))
      .filter(isSigned)
      .some(({ content }) => {
        const before = content.facts?.[content.slot.indexOf(part)]
        return before !== undefined && before !== told
      })
  })
}

function paidElsewhere(find: Find, proposal: Proposal): Refusal | null {
  const isOpen = (entry: Entry<Signature>) => closingOf(find, entry)?.outcome !== 'unpaid'
  const known = new Set(proposal.known)
  // All at once: one transaction may have paid for many swaps.
  const unknown: { id: string; record: Entry<Signature> }[] = []
  for (const { id, settles } of proposal.payouts) {
    const elsewhere = find(payoutKey(id))
      .filter(isSigned)
      .find((entry) => !isSamePlace(entry.content, proposal) && isOpen(entry))
    if (elsewhere) return { code: 'payout_signed', payout: id, record: elsewhere }
    // A later attempt in the same slot excludes the first one on chain.
    if (proposal.purpose !== 'new') continue
    for (const key of settles) {
      for (const record of find(key).filter(isSigned)) {
        const others = record.content.payouts.filter(
          (one) => one.id !== id && one.settles.includes(key) && !known.has(one.id),
        )
        if (others.length > 0 && isOpen(record)) unknown.push(...others.map((one) => ({ id: one.id, record })))
      }
    }
  }
  const [first] = unknown
  if (!first) return null
  return { code: 'settled_before', payouts: [...new Set(unknown.map(({ id }) => id))], record: first.record }
}

/** An approval is for one slot. */
function usedApproval(find: Find, proposal: Proposal): Refusal | null {
  const approval = proposal.approvals.find((one) =>
    find(approvalKey(one))
      .filter(isSigned)
      .some(
        ({ content }) => !content.slot.some((part) => proposal.slot.includes(part)) || !isSameWallet(content, proposal),
      ),
  )
  return approval === undefined ? null : { code: 'approval_used', approval }
}

function isSamePlace(a: SlotRef, b: SlotRef): boolean {
  return isSameWallet(a, b) && isSameSlot(a.slot, b.slot)
}

function isSameWallet(a: SlotRef, b: SlotRef): boolean {
  return a.network === b.network && a.account === b.account
}

/** Two payouts of the same amount to the same person have equal orders. */
function isSamePayouts(a: readonly RecordedPayout[], b: readonly RecordedPayout[]): boolean {
  const ids = new Set(a.map(({ id }) => id))
  return a.length === b.length && b.every(({ id }) => ids.has(id))
}

function isSameSlot(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, position) => part === b[position])
}

function refused(refusal: Refusal): Verdict {
  return { is: 'refused', refusal }
}

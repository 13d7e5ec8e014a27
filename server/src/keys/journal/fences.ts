/**
 * Fences: checks that refuse a signature which could pay twice, decided from the signing journal alone. They hold even
 * if the database was rolled back unnoticed. One order per slot; one slot per payout until the first is closed unpaid;
 * nothing for a deposit that another payout settled. A *part* of a slot is one nonce or one UTXO.
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

/** Finds the journal's lines that have this key, oldest first. */
export type Find = (key: string) => Entry[]

export interface SlotRef {
  network: string
  account: string
  slot: readonly string[]
}

/** The order that is about to be signed, with its slot and its payouts. */
export interface Proposal extends SlotRef {
  attempt: number
  purpose: Signature['purpose']
  order: Signature['order']
  payouts: readonly RecordedPayout[]
  approvals: readonly string[]
  facts?: readonly string[]
  /** Ids of the payouts that the database has for the same swaps and deposits. */
  known: readonly string[]
}

type Refusal =
  /** The slot, a part of it, or this attempt was signed for another order. */
  | { code: 'slot_signed'; record: Entry<Signature> }
  | { code: 'payout_signed'; payout: string; record: Entry<Signature> }
  /** The journal has payouts that settle the same deposit, reward or permit, and the database did not name them. */
  | { code: 'settled_before'; payouts: string[]; record: Entry<Signature> }
  /** A part of the slot was signed before with another fee fact, such as another amount of the same UTXO. */
  | { code: 'slot_changed' }
  | { code: 'approval_used'; approval: string }
  /** Another request is signing for the same slot or payout at this moment. */
  | { code: 'signing_now' }

export type Verdict =
  /** This attempt was signed before: the caller gets the recorded bytes, never a new signature. */
  | { is: 'recorded'; record: Entry<Signature> }
  | { is: 'refused'; refusal: Refusal }
  /**
   * `isNew`: this exact slot has no signature yet. A slot that shares only a UTXO with it is another slot: of three in a
   * chain the first and the third can both be mined.
   */
  | { is: 'free'; isNew: boolean; feeBefore: bigint }

export function judge(find: Find, proposal: Proposal): Verdict {
  const { slot, attempt, purpose } = proposal
  const print = printOf(proposal.order)
  const inSlot = signaturesIn(find, proposal)
  const before = slotBefore(find, proposal)
  const recorded = inSlot.filter((one) => !isFreed(find, one)).find(({ content }) => content.attempt === attempt)
  const isSame = ({ content }: Entry<Signature>) =>
    printOf(content.order) === print && (purpose === 'cancel' || isSamePayouts(content.payouts, proposal.payouts))
  if (recorded && isSame(recorded)) return { is: 'recorded', record: recorded }
  if (recorded) return refused({ code: 'slot_signed', record: recorded })
  const bound = slot.flatMap((part) => bindingOf(find, proposal, part) ?? [])
  const other = bound.find((one) => !isSame(one))
  // A slot may always be cancelled. It stays bound to its first order and accepts no other.
  if (other && purpose !== 'cancel') return refused({ code: 'slot_signed', record: other })
  if (isChanged(find, proposal)) return refused({ code: 'slot_changed' })
  const refusal =
    purpose === 'cancel' ? null : (paidElsewhere(find, proposal, before.isNew) ?? usedApproval(find, proposal))
  if (refusal) return refused(refusal)
  return { is: 'free', ...before }
}

/** Whether a signature in this slot is its first, and the highest fee of the earlier ones. The chain accepts only one of them. */
export function slotBefore(find: Find, slot: SlotRef): { isNew: boolean; feeBefore: bigint } {
  const fees = signaturesIn(find, slot)
    .filter((one) => !isFreed(find, one))
    .map(({ content }) => BigInt(content.fee))
  return { isNew: fees.length === 0, feeBefore: fees.reduce((most, fee) => (fee > most ? fee : most), 0n) }
}

/** All signatures in exactly this slot, oldest first. */
export function signaturesIn(find: Find, { network, account, slot }: SlotRef): Entry<Signature>[] {
  const [part = ''] = slot
  return find(partKey(network, account, part))
    .filter(isSigned)
    .filter(({ content }) => isSameSlot(content.slot, slot))
}

/** How the slot of this signature was last closed; null while it is open. */
export function closingOf(find: Find, { n, content }: Entry<Signature>): Closing | null {
  const [part = ''] = content.slot
  const closings = find(partKey(content.network, content.account, part)).flatMap((entry) =>
    entry.n > n && entry.content.type === 'closed' && isSameSlot(entry.content.slot, content.slot) ? entry.content : [],
  )
  return closings.at(-1) ?? null
}

/**
 * Whether the slot was closed and its parts were released. A later signature that uses the same parts belongs to
 * another slot.
 */
function isFreed(find: Find, entry: Entry<Signature>): boolean {
  const freed = closingOf(find, entry)?.freed ?? []
  return entry.content.slot.every((part) => freed.includes(part))
}

/**
 * The signature that binds this part to its order; null if the part is free. A part signed in two slots is free when
 * both are closed and have released it.
 */
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

function paidElsewhere(find: Find, proposal: Proposal, isNew: boolean): Refusal | null {
  const isOpen = (entry: Entry<Signature>) => closingOf(find, entry)?.outcome !== 'unpaid'
  const known = new Set(proposal.known)
  // Collects all conflicts, not only the first: one recorded transaction may have paid for many swaps.
  const unknown: { id: string; record: Entry<Signature> }[] = []
  for (const { id, settles } of proposal.payouts) {
    const elsewhere = find(payoutKey(id))
      .filter(isSigned)
      .find((entry) => !isSamePlace(entry.content, proposal) && isOpen(entry))
    if (elsewhere) return { code: 'payout_signed', payout: id, record: elsewhere }
    // A fee bump uses a slot that was signed before, so the chain accepts only one of the two. In a slot without a
    // signature it is a new payment, whatever the service calls it.
    if (proposal.purpose !== 'new' && !isNew) continue
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

/** An approval is valid in one slot only. */
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

/** Compares the ids, because two payouts of the same amount to the same recipient have equal orders. */
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

/**
 * Requests that are being signed and have no line yet. Their slots, payouts, approvals and deposits are taken: otherwise two
 * requests at the same time could pass the same fence.
 */
interface Busy {
  /** Whether another request is signing for the same slot, payout, approval or deposit. */
  has(proposal: Proposal): boolean
  hasSlot(slot: SlotRef): boolean
  /** Returns how to release it. */
  take(proposal: Proposal): () => void
}

export function createBusy(): Busy {
  const busy = new Set<string>()
  /** The keys that payouts settle, by payout id. */
  const settling = new Map<string, readonly string[]>()
  return {
    has: (proposal) => busyKeys(proposal).some((key) => busy.has(key)) || isSettling(settling, proposal),
    hasSlot: ({ network, account, slot }) => slot.some((part) => busy.has(partKey(network, account, part))),
    take(proposal) {
      const keys = busyKeys(proposal)
      for (const key of keys) busy.add(key)
      for (const { id, settles } of proposal.payouts) settling.set(id, settles)
      return () => {
        for (const key of keys) busy.delete(key)
        for (const { id } of proposal.payouts) settling.delete(id)
      }
    },
  }
}

function busyKeys({ network, account, slot, payouts, approvals, purpose }: Proposal): string[] {
  const parts = slot.map((part) => partKey(network, account, part))
  if (purpose === 'cancel') return parts
  return [...parts, ...payouts.map(({ id }) => payoutKey(id)), ...approvals.map(approvalKey)]
}

/** Whether a payout that the database does not know is being signed for the same deposit, reward or permit. */
function isSettling(settling: ReadonlyMap<string, readonly string[]>, { payouts, known }: Proposal): boolean {
  const keys = new Set(payouts.flatMap(({ settles }) => settles))
  const ours = new Set([...known, ...payouts.map(({ id }) => id)])
  return [...settling].some(([id, settles]) => !ours.has(id) && settles.some((key) => keys.has(key)))
}

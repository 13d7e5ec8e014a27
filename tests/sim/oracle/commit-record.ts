/** The commits replayed into a model: swaps, deposits, payouts, slots and wallets as they are after each commit. */
import type { Change } from './journal.ts'

export interface SwapEntry {
  id: string
  /** The reference, which also names the swap in the report. */
  number: number
  /** The order of creation. */
  ordinal: number
  status: string
  failReason: string | null
  refundAddress: string | null
  /** From the row itself: it never changes. */
  destinationAddress: string
  receiver: string
  source: string
  destination: string
  usesDepositAddress: boolean
  /** The integrator whose customer ordered it. */
  appId: string | null
  quoteExpiresAtMs: number
  expiresAtMs: number
}

export interface DepositEntry {
  id: string
  network: string
  hash: string
  index: number
  from: string | null
  to: string
  token: string
  units: bigint
  swapId: string | null
  state: string
  /** The deposit is in a block, as far as its process has scanned. */
  isMined: boolean
  outputUnits: bigint
  refundUnits: bigint
  seenAtMs: number
  confirmedAtMs: number | null
  resolution: string | null
  refundAddress: string | null
}

export interface PayoutEntry {
  id: string
  swapId: string | null
  kind: string
  depositId: string | null
  network: string
  account: string
  token: string
  units: bigint
  keptUnits: bigint
  to: string
  state: string
  createdAtMs: number
  confirmedAtMs: number | null
  rejected: boolean
  /** For a reward: its campaign and its period. */
  campaign: string | null
  period: string | null
}

export interface SlotEntry {
  id: string
  network: string
  account: string
  parts: string
  state: string
  payouts: string[]
}

export interface AttemptEntry {
  slotId: string
  hash: string
  bytes: string
  /** A cancellation: it only consumes the slot. */
  cancels: boolean
}

export interface CommitRecord {
  swaps: Map<string, SwapEntry>
  deposits: Map<string, DepositEntry>
  payouts: Map<string, PayoutEntry>
  slots: Map<string, SlotEntry>
  /** By their hashes. */
  attempts: Map<string, AttemptEntry>
  /** Payouts by hold, and the holds that an operator approved. */
  holds: Map<string, string>
  holdCodes: Map<string, string>
  approved: Set<string>
  /** The ledger's balance of an owner, by `owner network/token`. */
  wallets: Map<string, bigint>
}

export function emptyRecord(): CommitRecord {
  return {
    swaps: new Map(),
    deposits: new Map(),
    payouts: new Map(),
    slots: new Map(),
    attempts: new Map(),
    holds: new Map(),
    holdCodes: new Map(),
    approved: new Set(),
    wallets: new Map(),
  }
}

/** Applies one committed change to the model. */
export function applyChange(record: CommitRecord, { table, row }: Change): void {
  const text = (name: string) => row[name] ?? ''
  const units = (name: string) => BigInt(row[name] ?? '0')
  const ms = (name: string) => Date.parse(text(name))
  const id = text('id')
  switch (table) {
    case 'swap':
      record.swaps.set(id, {
        id,
        number: Number(units('reference')),
        ordinal: Number(units('ordinal')),
        status: text('status'),
        failReason: row.fail_reason ?? null,
        refundAddress: row.refund_address ?? null,
        destinationAddress: text('destination_address'),
        receiver: text('receiver'),
        source: `${text('source_network')}/${text('source_token')}`,
        destination: `${text('destination_network')}/${text('destination_token')}`,
        appId: row.app_id ?? null,
        usesDepositAddress: text('uses_deposit_address') === 'true',
        quoteExpiresAtMs: ms('quote_expires_at'),
        expiresAtMs: ms('expires_at'),
      })
      return
    case 'deposit':
      record.deposits.set(id, {
        id,
        network: text('network'),
        hash: text('tx_hash'),
        index: Number(text('index')),
        from: row.from_address ?? null,
        to: text('to_address'),
        token: text('token'),
        units: units('units'),
        swapId: row.swap_id ?? null,
        state: text('state'),
        isMined: (row.block_number ?? null) !== null,
        outputUnits: units('output_units'),
        refundUnits: units('refund_units'),
        seenAtMs: ms('seen_at'),
        confirmedAtMs: row.confirmed_at ? ms('confirmed_at') : null,
        resolution: row.resolution ?? null,
        refundAddress: row.refund_address ?? null,
      })
      return
    case 'payout': {
      // A payout that is read from the journal after a restore is what it was when it was ordered.
      const known = text('kind') === 'recorded' ? record.payouts.get(id) : undefined
      record.payouts.set(id, {
        id,
        swapId: known ? known.swapId : (row.swap_id ?? null),
        kind: known ? known.kind : text('kind'),
        depositId: known ? known.depositId : (row.deposit_id ?? null),
        network: text('network'),
        account: text('account'),
        token: text('token'),
        units: units('units'),
        keptUnits: units('kept_units'),
        to: text('to_address'),
        state: text('state'),
        createdAtMs: ms('created_at'),
        confirmedAtMs: row.confirmed_at ? ms('confirmed_at') : null,
        rejected: Boolean(row.rejected_at),
        campaign: known ? known.campaign : (row.campaign ?? null),
        period: known ? known.period : (row.period ?? null),
      })
      return
    }
    case 'slot':
      record.slots.set(id, {
        id,
        network: text('network'),
        account: text('account'),
        parts: text('parts'),
        state: text('state'),
        payouts: record.slots.get(id)?.payouts ?? [],
      })
      return
    case 'slot_payout': {
      const slot = record.slots.get(text('slot_id'))
      const payout = text('payout_id')
      if (slot && !slot.payouts.includes(payout)) slot.payouts.push(payout)
      return
    }
    case 'hold':
      record.holds.set(id, text('payout_id'))
      record.holdCodes.set(id, text('code'))
      return
    case 'decision':
      if (text('answer') === 'approve') record.approved.add(record.holds.get(text('hold_id')) ?? '')
      return
    case 'attempt':
      record.attempts.set(text('hash'), {
        slotId: text('slot_id'),
        hash: text('hash'),
        bytes: text('bytes'),
        cancels: text('cancels') === 'true',
      })
      return
    case 'ledger_entry': {
      if (row.account !== 'wallet') return
      const key = walletKey(text('owner'), text('network'), text('token'))
      record.wallets.set(key, (record.wallets.get(key) ?? 0n) + units('units'))
    }
  }
}

/**
 * After a restore the database does not know its newest slots and will allocate their numbers again. Earlier signatures
 * in them stay valid.
 */
export function keepForgottenSlots({ slots, attempts }: CommitRecord, remembered: ReadonlySet<string>): void {
  const age = `before ${slots.size}`
  for (const [id, slot] of [...slots]) {
    if (remembered.has(id) || id.includes(' ')) continue
    slots.delete(id)
    slots.set(`${id} ${age}`, slot)
  }
  for (const attempt of attempts.values()) {
    const { slotId } = attempt
    if (!remembered.has(slotId) && !slotId.includes(' ')) attempt.slotId = `${slotId} ${age}`
  }
}

export function walletKey(owner: string, network: string, token: string): string {
  return `${owner} ${network}/${token}`
}

/** The payouts of a swap that were not voided. */
export function activePayoutsOf({ payouts }: CommitRecord, swapId: string, kinds: readonly string[]): PayoutEntry[] {
  return [...payouts.values()].filter(
    ({ swapId: other, kind, state }) => other === swapId && state !== 'abandoned' && kinds.includes(kind),
  )
}

export function depositsOf({ deposits }: CommitRecord, swapId: string): DepositEntry[] {
  return [...deposits.values()].filter((deposit) => deposit.swapId === swapId)
}

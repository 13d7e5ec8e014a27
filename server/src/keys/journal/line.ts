/**
 * The format of the journal's lines: one JSON object per line, chained by number `n` and by the hash of the previous
 * line. `sum` is a checksum of the line, so that damage in the last line is detected, too.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

export const FORMAT = 1
/** The previous hash of the first line. */
export const NO_HASH = '0'.repeat(64)

const SUM_LENGTH = 16
const Hash = z.string().regex(/^[0-9a-f]{64}$/)
const Units = z.string().regex(/^-?\d+$/)

/**
 * A version vector: per writer (a process of the service) its counter in the database and its last address index. Lower
 * counters in the database mean that it was rolled back.
 */
export const Vector = z.record(z.string(), z.tuple([z.number().int(), z.number().int()]))
export type Vector = z.infer<typeof Vector>

export const STOP_CODES = ['rolled_back', 'journal_behind', 'without_journal'] as const
export type StopCode = (typeof STOP_CODES)[number]
export type JournalState = 'running' | StopCode

const Place = { network: z.string(), account: z.string(), slot: z.array(z.string()).min(1) }

const Source = z.object({ address: z.string(), index: z.number().int(), branch: z.number().int().optional() })

/** A payout with everything needed to store it in a database that lost it. */
export const RecordedPayout = z.object({
  id: z.string(),
  kind: z.string(),
  swap: z.string().nullable(),
  number: z.number().int(),
  token: z.string(),
  units: Units,
  to: z.string(),
  campaign: z.string().optional(),
  period: z.number().int().optional(),
  sources: z.array(Source).optional(),
  /**
   * Keys of the deposits, rewards or permits that the payout settles. A settled key is never paid again, even under
   * another swap id.
   */
  settles: z.array(z.string()),
})
export type RecordedPayout = z.infer<typeof RecordedPayout>

const RecordedToken = z.object({ key: z.string(), symbol: z.string(), decimals: z.number().int() })

/** Amounts signed for, per minute. The policy's hourly and daily limits are checked against them. */
const Spent = z.object({
  at: z.number().int(),
  network: z.string(),
  units: z.record(z.string(), Units),
  orders: z.number().int(),
  fee: Units,
})
export type Spent = z.infer<typeof Spent>

const Opened = z.object({
  type: z.literal('opened'),
  format: z.literal(FORMAT),
  journal: z.string(),
  database: z.string(),
  state: z.enum(['running', ...STOP_CODES]),
  branch: z.number().int(),
  /** Number of the last `restored` line. The database may lack lines up to this one. */
  restored: z.number().int().default(0),
  mark: Vector,
  spent: z.array(Spent),
})

const Signed = z.object({
  type: z.literal('signed'),
  ...Place,
  attempt: z.number().int(),
  purpose: z.enum(['new', 'bump', 'cancel']),
  /** The order in its wire form, without approvals. */
  order: z.record(z.string(), z.unknown()),
  tokens: z.array(RecordedToken),
  payouts: z.array(RecordedPayout),
  hash: z.string(),
  bytes: z.string(),
  /** The highest fee that the transaction can cost, in native units. */
  fee: Units,
  /**
   * Fee facts: one value per slot part that the fee was computed from, such as a UTXO's amount. A different value for
   * the same part is refused.
   */
  facts: z.array(z.string()).optional(),
  approvals: z.array(z.string()),
  writer: z.tuple([z.string(), z.number().int()]),
})

export const Closed = z.object({
  type: z.literal('closed'),
  ...Place,
  outcome: z.enum(['paid', 'unpaid']),
  /** The chain's proof or the operator's decision, kept for people and for the replay after a restore. */
  evidence: z.unknown(),
  /** Slot parts that another order may use again. */
  freed: z.array(z.string()),
})

const Branch = z.object({ type: z.literal('branch'), writer: z.string(), branch: z.number().int() })
const Stopped = z.object({ type: z.literal('stopped'), code: z.enum(STOP_CODES), mark: Vector, found: Vector })
const Restored = z.object({ type: z.literal('restored'), vector: Vector, by: z.string() })
const Pruned = z.object({ type: z.literal('pruned'), last: z.number().int(), hash: Hash })

const Content = z.discriminatedUnion('type', [Opened, Signed, Closed, Branch, Stopped, Restored, Pruned])
export type Content = z.infer<typeof Content>
export type Opening = z.infer<typeof Opened>
export type Signature = z.infer<typeof Signed>
export type Closing = z.infer<typeof Closed>

const Chained = z.object({ n: z.number().int().positive(), prev: Hash, at: z.iso.datetime() })

export interface Entry<Of extends Content = Content> {
  n: number
  prev: string
  at: string
  /** Hash of the whole line. */
  hash: string
  content: Of
}

/** A journal line as sent between the service and the signer process. */
export const EntryWire = z.object({ ...Chained.shape, hash: Hash, content: Content })

/** Formats a line, without its line break. */
export function writeLine(n: number, prev: string, at: Date, content: Content): string {
  const body = JSON.stringify({ n, prev, at: at.toISOString(), ...content }).slice(0, -1)
  return `${body},"sum":"${sumOf(body)}"}`
}

/** Null if the text is not a complete line in this format. */
export function readLine(text: string): Entry | null {
  const end = text.length - SUM_LENGTH - ',"sum":""}'.length
  const body = text.slice(0, Math.max(0, end))
  if (text.slice(body.length) !== `,"sum":"${sumOf(body)}"}`) return null
  const { data } = z.object({}).loose().safeParse(parse(text))
  const chained = Chained.safeParse(data)
  const content = Content.safeParse(data)
  if (!chained.success || !content.success) return null
  return { ...chained.data, hash: hashOf(text), content: content.data }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A fingerprint of an order: two orders with the same fingerprint are the same payment. */
export function printOf(order: Signature['order']): string {
  return hashOf(JSON.stringify(order))
}

/** The keys under which the index lists a line: slot parts, payouts and settled deposits. */
export function keysOf(content: Content): string[] {
  if (content.type === 'pruned') return [PRUNED]
  if (content.type !== 'signed' && content.type !== 'closed') return []
  const parts = content.slot.map((part) => partKey(content.network, content.account, part))
  if (content.type === 'closed') return parts
  const approvals = content.approvals.map(approvalKey)
  return [...parts, ...approvals, ...content.payouts.flatMap(({ id, settles }) => [payoutKey(id), ...settles])]
}

/** The key of the lines that record a prune. */
export const PRUNED = 'pruned'

export function partKey(network: string, account: string, part: string): string {
  return `s:${JSON.stringify([network, account, part])}`
}

export function payoutKey(id: string): string {
  return `o:${id}`
}

export function approvalKey(approval: string): string {
  return `v:${approval}`
}

export function isSigned(entry: Entry): entry is Entry<Signature> {
  return entry.content.type === 'signed'
}

function sumOf(body: string): string {
  return hashOf(body).slice(0, SUM_LENGTH)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Orders in the wire form that the service and the signer process exchange. */
import { z } from 'zod'
import { OrderWire, Text, writeOrder } from '../backends/protocol.ts'
import { Closed, EntryWire, RecordedPayout, STOP_CODES, Vector } from '../journal/line.ts'
import type { OrderRefusal, Recorded, SignAnswer, SignRequest } from './orders.ts'

const MAX_PARTS = 10_000
const MAX_KNOWN = 100_000

const Place = { network: Text, account: Text, slot: z.array(Text).min(1).max(MAX_PARTS) }
const Line = z.object({ n: z.int().positive(), hash: z.string() })
const Purpose = z.enum(['new', 'bump', 'cancel'])
const State = z.enum(['running', ...STOP_CODES])

export const SignRequestWire = z.strictObject({
  database: Text,
  network: Text,
  order: OrderWire,
  slot: Place.slot,
  allocation: Text.optional(),
  draft: z.string(),
  attempt: z.int().min(0),
  purpose: Purpose,
  payouts: z.array(RecordedPayout),
  known: z.array(Text).max(MAX_KNOWN),
  writer: z.tuple([Text, z.int()]),
})

const RecordWire = z.object({
  ...Place,
  line: Line,
  attempt: z.int().min(0),
  purpose: Purpose,
  payouts: z.array(z.string()),
  transfer: z.object({ hash: z.string(), bytes: z.string(), fee_ceiling: z.string().regex(/^-?\d+$/) }),
})

const RefusalWire = z.discriminatedUnion('code', [
  z.object({ code: z.enum(['slot_signed', 'payout_signed']), record: RecordWire }),
  z.object({ code: z.literal('settled_before'), payouts: z.array(z.string()), line: Line }),
  z.object({ code: z.enum(['slot_changed', 'signing_now', 'other_database', 'slot_released']) }),
  z.object({ code: z.literal('approval_used'), approval: z.string() }),
  z.object({ code: z.literal('stopped'), state: z.enum(STOP_CODES) }),
  z.object({ code: z.literal('refused'), reason: z.string() }),
])

export const SignAnswerWire = z.discriminatedUnion('is', [
  z.object({ is: z.literal('signed'), record: RecordWire }),
  z.object({ is: z.literal('refused'), refusal: RefusalWire }),
])

export const PlaceWire = z.strictObject(Place)
export const ReleaseRequest = z.strictObject({ ...Place, allocation: Text })
export const RecordsAnswer = z.object({ records: z.array(RecordWire) })
export const ClosingWire = Closed.omit({ type: true }).extend({ lines: z.array(z.int()) })
export const ClosedAnswer = z.object({ closed: z.boolean() })
export const StatusAnswer = z.object({
  id: z.string(),
  database: z.string().nullable(),
  state: State,
  head: z.object({ n: z.int(), hash: z.string() }),
  hasSignatures: z.boolean(),
  lastBranch: z.int(),
  restoredTo: z.int(),
  isBroken: z.boolean(),
  mark: Vector,
})
export const LinesRequest = z.strictObject({ after: z.int().min(0) })
export const LinesAnswer = z.object({ lines: z.array(EntryWire) })
export const ClaimRequest = z.strictObject({ database: Text })
export const BranchRequest = z.strictObject({ writer: Text })
export const BranchAnswer = z.object({ branch: z.int().positive() })
export const StopRequest = z.strictObject({ code: z.enum(STOP_CODES), found: Vector })
export const MarkRequest = z.strictObject({ vector: Vector })
export const ResumeRequest = z.strictObject({ vector: Vector, by: Text })

export function writeRequest({ order, slot, payouts, known, ...rest }: SignRequest): z.infer<typeof SignRequestWire> {
  return { ...rest, order: writeOrder(order), slot: [...slot], payouts: [...payouts], known: [...known] }
}

export function writeAnswer(answer: SignAnswer): z.infer<typeof SignAnswerWire> {
  if (answer.is === 'signed') return { is: 'signed', record: writeRecord(answer.record) }
  const { refusal } = answer
  return { is: 'refused', refusal: 'record' in refusal ? { ...refusal, record: writeRecord(refusal.record) } : refusal }
}

export function readAnswer(answer: z.infer<typeof SignAnswerWire>): SignAnswer {
  if (answer.is === 'signed') return { is: 'signed', record: readRecord(answer.record) }
  const { refusal } = answer
  const read: OrderRefusal = 'record' in refusal ? { ...refusal, record: readRecord(refusal.record) } : refusal
  return { is: 'refused', refusal: read }
}

export function writeRecord({ transfer, slot, payouts, ...rest }: Recorded): z.infer<typeof RecordWire> {
  const { hash, bytes, feeCeiling } = transfer
  return { ...rest, slot: [...slot], payouts: [...payouts], transfer: { hash, bytes, fee_ceiling: `${feeCeiling}` } }
}

export function readRecord({ transfer, ...rest }: z.infer<typeof RecordWire>): Recorded {
  const { hash, bytes, fee_ceiling } = transfer
  return { ...rest, transfer: { hash, bytes, feeCeiling: BigInt(fee_ceiling) } }
}

/**
 * Any sequence of paying, crashing, rolling back the database and adopting: the journal's fences alone ensure that no
 * deposit is paid for twice, although the rollback goes unnoticed.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { closingOf, type Find, judge, type Proposal } from './fences.ts'
import { type Content, type Entry, isSigned, keysOf, type Signature } from './line.ts'
import { cancellation, payout, proposal } from './testing.ts'

interface ModelSlot {
  nonce: number
  payoutId: string
  attempts: number
}
/** The content of the model's database; a rollback can lose all of it. */
interface ModelDatabase {
  /** The deposit that each payout pays for, by payout id. */
  payouts: Map<string, number>
  slots: ModelSlot[]
}

/** Deliberate faults: with each of them the property must fail, or it proves nothing. */
type Fault = 'journal after the database' | 'no deposit fence' | 'no payout fence'

class World {
  readonly fault: Fault | null
  /** Signatures that are not in the journal. */
  unrecorded: Entry<Signature>[] = []
  database: ModelDatabase = { payouts: new Map(), slots: [] }
  backups: ModelDatabase[] = []
  entries: Entry[] = []
  /** The transaction that the chain included, by nonce. */
  landed = new Map<number, Entry<Signature>>()
  #made = 0

  constructor(fault: Fault | null = null) {
    this.fault = fault
  }

  find: Find = (key) => this.entries.filter(({ content }) => keysOf(content).includes(key))

  append(content: Content): void {
    const n = this.entries.length + 1
    this.entries.push({ n, prev: '', at: '', hash: `${n}`, content })
  }

  order(deposit: number): void {
    if ([...this.database.payouts.values()].includes(deposit)) return
    this.database.payouts.set(`payout ${++this.#made}`, deposit)
  }

  /** Allocates a nonce to a payout without a slot. Nonces may repeat, as from a node that forgot some. */
  allocate(nonce: number): void {
    const { payouts, slots } = this.database
    const waiting = [...payouts.keys()].find((id) => !slots.some(({ payoutId }) => payoutId === id))
    if (waiting && !slots.some((slot) => slot.nonce === nonce)) slots.push({ nonce, payoutId: waiting, attempts: 0 })
  }

  sign(at: number, purpose: 'pay' | 'cancel', crashes: boolean): void {
    const slot = this.database.slots[at % Math.max(1, this.database.slots.length)]
    if (!slot) return
    const wanted = purpose === 'cancel' ? cancellation(slot.nonce, slot.attempts) : this.#payment(slot)
    const verdict = judge(this.find, this.#asJudged(wanted))
    if (verdict.is === 'refused') return
    const isLost = crashes && this.fault === 'journal after the database'
    if (isLost) this.unrecorded.push({ n: 0, prev: '', at: '', hash: '', content: signatureOf(wanted) })
    else if (verdict.is === 'free') this.append(signatureOf(wanted))
    if (!crashes) slot.attempts++
  }

  #asJudged(wanted: Proposal): Proposal {
    const withoutKeys = wanted.payouts.map((one) => ({ ...one, settles: [] }))
    if (this.fault === 'no deposit fence') return { ...wanted, payouts: withoutKeys }
    if (this.fault === 'no payout fence') return { ...wanted, payouts: [] }
    return wanted
  }

  #payment(slot: ModelSlot): Proposal {
    const deposit = this.database.payouts.get(slot.payoutId) ?? 0
    const known = [...this.database.payouts.keys()].filter((id) => this.database.payouts.get(id) === deposit)
    const purpose = slot.attempts === 0 ? 'new' : 'bump'
    return proposal(slot.nonce, [payout(slot.payoutId, [`d:ALPHA/${deposit}/0`])], {
      ...{ attempt: slot.attempts, purpose, known },
    })
  }

  /** Stores the attempts that a crash left only in the journal. Doing it twice changes nothing more. */
  adopt(): void {
    for (const slot of this.database.slots) {
      const recorded = this.entries
        .filter(isSigned)
        .filter(({ content }) => content.slot[0] === `${slot.nonce}` && content.payouts[0]?.id === slot.payoutId)
      slot.attempts = Math.max(slot.attempts, ...recorded.map(({ content }) => content.attempt + 1))
    }
  }

  land(at: number): void {
    const recorded = this.entries.filter(isSigned)
    const open = recorded.filter((entry) => closingOf(this.find, entry) === null).concat(this.unrecorded)
    const entry = open[at % Math.max(1, open.length)]
    const nonce = Number(entry?.content.slot[0])
    if (entry && !this.landed.has(nonce)) this.landed.set(nonce, entry)
  }

  /** The chain proves that no transaction of a slot can be mined, or that its cancellation was. */
  close(at: number): void {
    const slot = this.database.slots[at % Math.max(1, this.database.slots.length)]
    if (!slot || slot.attempts === 0) return
    const landed = this.landed.get(slot.nonce)
    if (landed && landed.content.payouts.length > 0) return
    this.append({
      ...{ type: 'closed', network: 'ALPHA', account: 'wallet', slot: [`${slot.nonce}`], outcome: 'unpaid' },
      ...{ evidence: null, freed: [] },
    })
    if (!landed) this.landed.set(slot.nonce, NOTHING)
    this.database.slots.splice(this.database.slots.indexOf(slot), 1)
  }

  backup(): void {
    this.backups.push(structuredClone(this.database))
  }

  rollBack(at: number): void {
    const backup = this.backups[at % Math.max(1, this.backups.length)]
    if (backup) this.database = structuredClone(backup)
  }

  /** How often each deposit was paid for on chain. */
  paid(): Map<string, number> {
    const paid = new Map<string, number>()
    for (const { content } of this.landed.values()) {
      for (const key of content.payouts.flatMap(({ settles }) => settles)) paid.set(key, (paid.get(key) ?? 0) + 1)
    }
    return paid
  }
}

function signatureOf({ known: _, ...wanted }: Proposal): Signature {
  const rest = {
    type: 'signed' as const,
    hash: '',
    bytes: '',
    fee: '0',
    tokens: [],
    writer: ['w', 1] as [string, number],
  }
  return { ...wanted, ...rest, slot: [...wanted.slot], payouts: [...wanted.payouts], approvals: [], facts: [] }
}

const NOTHING: Entry<Signature> = { n: 0, prev: '', at: '', hash: '', content: signatureOf(cancellation(0, 0)) }

const any = fc.nat({ max: 3 })
const purpose = fc.constantFrom('pay' as const, 'pay' as const, 'cancel' as const)
/** From a deposit to a transaction that may be mined, unless a check stops it. */
const Pay = fc.tuple(any, any, fc.boolean()).map(([deposit, nonce, crashes]) => (world: World) => {
  world.order(deposit)
  world.allocate(nonce)
  world.sign(world.database.slots.length - 1, 'pay', crashes)
  world.land(world.entries.length - 1)
})
const Step = fc.oneof(
  { weight: 6, arbitrary: Pay },
  { weight: 2, arbitrary: any.map((at) => (world: World) => world.rollBack(at)) },
  any.map((deposit) => (world: World) => world.order(deposit)),
  any.map((nonce) => (world: World) => world.allocate(nonce)),
  fc.tuple(any, purpose, fc.boolean()).map((of) => (world: World) => world.sign(...of)),
  any.map((at) => (world: World) => world.land(at)),
  any.map((at) => (world: World) => world.close(at)),
  fc.constant((world: World) => world.adopt()),
  fc.constant((world: World) => world.backup()),
)

const RUNS = 1_500

const paidOnce = (fault: Fault | null = null) =>
  fc.property(fc.array(Step, { minLength: 10, maxLength: 50 }), (steps) => {
    const world = new World(fault)
    world.backup()
    for (const step of steps) {
      step(world)
      for (const times of world.paid().values()) expect(times).toBe(1)
    }
    world.adopt()
    const once = structuredClone(world.database)
    world.adopt()
    expect(world.database).toEqual(once)
  })

it('no deposit is paid for twice, and adopting twice equals once', () => {
  fc.assert(paidOnce(), { numRuns: RUNS })
})

it.each<Fault>(['journal after the database', 'no deposit fence', 'no payout fence'])(
  'a deliberate fault is noticed: %s',
  (fault) => {
    expect(fc.check(paidOnce(fault), { numRuns: RUNS, endOnFailure: true }).failed).toBe(true)
  },
)

/** Property test of the payout machine: in any order of failures and reorgs no payout is paid twice, and each one ends. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TransferStatus } from '../port/paying.ts'
import type { PayoutHold } from '../swap/hold.ts'
import type { Objection, Purpose } from './gate.ts'
import { nextStep } from './next-step.ts'
import type { AttemptView, Outcome, PayoutMachineFacts, PayoutView } from './views.ts'

const [FINAL, TIER, STUCK_MS, GIVE_UP_MS, PATIENCE_MS] = [4, 2, 90_000, 7_200_000, 600_000]
const PAYOUTS = 3
const TROUBLE: PayoutHold = { code: 'trouble', error: 'RetryLater' }

interface ModelAttempt {
  hash: string
  payout: number | null
  createdAt: number
  firstAcceptedAt: number | null
  lastAcceptedAt: number | null
  isPermanentlyRejected: boolean
  inMempool: boolean
}
interface ModelSlot {
  nonce: number
  createdAt: number
  payout: ModelPayout
  attempts: ModelAttempt[]
  isCancelWanted: boolean
}
interface ModelPayout {
  number: number
  state: PayoutView['state']
  slot: ModelSlot | null
  reverts: number
  troubleSince: number | null
  isRejected: boolean
  reorged: boolean
}
interface Faults {
  prepare: Outcome['failure'] | null
  sign: Outcome['failure'] | null
  broadcast: 'retryable' | 'permanent' | null
  objection: Objection['class'] | null
  isSourceLost: boolean
  isSourceInDoubt: boolean
}
const NO_FAILURE = { prepare: null, sign: null, broadcast: null }
const HEALTHY: Faults = { ...NO_FAILURE, objection: null, isSourceLost: false, isSourceInDoubt: false }

/** One wallet with nonces. A block holds at most one transaction per nonce, in their order. */
class World {
  now = 0
  faults: Faults = { ...HEALTHY }
  readonly payouts: ModelPayout[]
  /** Open slots by nonce, and every attempt ever signed. */
  readonly slots = new Map<number, ModelSlot>()
  readonly signed = new Map<number, ModelAttempt[]>()
  /** Mined attempts per block, each with whether it failed. */
  blocks: { hash: string; nonce: number; payout: number | null; isFailed: boolean }[][] = []
  private count = 0
  private readonly chain: PayoutMachineFacts['chain']

  constructor(isOrdered: boolean) {
    this.chain = { isConfigured: true, isOrdered, canReplace: true, hasKeys: true }
    this.payouts = Array.from({ length: PAYOUTS }, (_, number) => ({
      ...{
        number,
        state: 'open' as const,
        slot: null,
        reverts: 0,
        troubleSince: null,
        isRejected: false,
        reorged: false,
      },
    }))
  }

  mined = (nonce: number) => this.blocks.flat().find((one) => one.nonce === nonce)
  paid = (payout: number) => this.blocks.flat().filter((one) => one.payout === payout && !one.isFailed).length

  private depthOf(hash: string): { confirmations: number; isFailed: boolean } | null {
    const at = this.blocks.findIndex((block) => block.some((one) => one.hash === hash))
    const found = this.blocks[at]?.find((one) => one.hash === hash)
    return found ? { confirmations: this.blocks.length - at, isFailed: found.isFailed } : null
  }

  private statusOf({ nonce }: ModelSlot, { hash, inMempool }: ModelAttempt): TransferStatus {
    const block = { number: 0n, hash: 'b' }
    const own = this.depthOf(hash)
    if (own)
      return { state: own.isFailed ? 'reverted' : 'included', block, confirmations: own.confirmations, feeUnits: 0n }
    const other = this.mined(nonce)
    if (other && (this.depthOf(other.hash)?.confirmations ?? 0) >= FINAL)
      return { state: 'dead', evidence: { usedBy: other.hash, block, reason: 'the nonce was used' } }
    return { state: inMempool ? 'pending' : 'unknown' }
  }

  private objections({ isRejected, reorged }: ModelPayout): Objection[] {
    const { objection } = this.faults
    const found: Objection[] = []
    const hold: PayoutHold = { code: 'paused', scope: 'service', note: '' }
    if (reorged) found.push({ code: 'reorged', class: 'hold', hold, detail: null })
    if (objection === 'hold') found.push({ code: 'switch', class: 'hold', hold, detail: null })
    if (objection === 'wait') found.push({ code: 'liquidity', class: 'wait', hold: TROUBLE, detail: null })
    if (isRejected) found.push({ code: 'rejected', class: 'end', hold, detail: null })
    return found
  }

  /** Runs one job of a payout as the executor does. `looks`: with the chain's statuses, as after a new block. */
  run(payout: ModelPayout, looks: boolean): void {
    let outcome: Outcome | null = null
    for (let steps = 0; steps < 8 && payout.state !== 'abandoned'; steps++) {
      const { slot } = payout
      const attempts = slot?.attempts ?? []
      const isSignedBehind =
        this.chain.isOrdered &&
        [...this.slots.values()].some((one) => slot && one.nonce > slot.nonce && one.attempts.length > 0)
      const view = slot && { ageMs: this.now - slot.createdAt, isSignedBehind, hasGapBefore: this.hasGap(slot.nonce) }
      const step = nextStep(
        view,
        [{ id: `${payout.number}`, kind: 'output', state: payout.state, reverts: payout.reverts }],
        attempts.map(
          (one): AttemptView => ({
            ...{ hash: one.hash, cancels: one.payout === null, isPermanentlyRejected: one.isPermanentlyRejected },
            ...{ createdAt: new Date(one.createdAt), firstAcceptedAt: dateOf(one.firstAcceptedAt) },
            lastAcceptedAt: dateOf(one.lastAcceptedAt),
            status: looks && slot ? this.statusOf(slot, one) : null,
          }),
        ),
        {
          ...{
            now: new Date(this.now),
            chain: this.chain,
            objections: this.objections(payout),
            outcome,
            wasPaid: false,
          },
          policy: {
            confirmations: TIER,
            finalDepth: FINAL,
            stuckAfterMs: STUCK_MS,
            giveUpMs: GIVE_UP_MS,
            patienceMs: PATIENCE_MS,
          },
          ...{ isSourceLost: this.faults.isSourceLost, isSourceInDoubt: this.faults.isSourceInDoubt },
          isCancelWanted: slot?.isCancelWanted ?? false,
          troubleMs: payout.troubleSince === null ? 0 : this.now - payout.troubleSince,
        },
      )
      const before: Outcome | null = outcome
      outcome = null
      switch (step.step) {
        case 'allocate':
          expect(this.mayBeMined(payout), 'allocated while a transaction of it may be mined').toBe(false)
          outcome = this.failure('prepare', 'new')
          if (outcome) break
          payout.slot = { nonce: this.freeNonce(), createdAt: this.now, payout, attempts: [], isCancelWanted: false }
          this.slots.set(payout.slot.nonce, payout.slot)
          break
        case 'sign':
          expect(this.chain.isOrdered && view?.hasGapBefore && !isSignedBehind, 'signed above a nonce gap').toBeFalsy()
          outcome = this.sign(payout, 'new')
          if (outcome) break
          outcome = this.send(payout)
          if (!outcome) return
          break
        case 'bump':
        case 'cancel':
          outcome = this.sign(payout, step.step)
          if (outcome) break
          outcome = this.send(payout)
          if (!outcome) return
          break
        case 'send':
        case 'resend':
          outcome = this.send(payout)
          if (!outcome || before) return
          break
        case 'release':
          expect(attempts, 'released although something was signed').toEqual([])
          this.free(payout)
          outcome = before
          break
        case 'confirm':
          if (step.verdict) payout.state = 'confirmed'
          if (step.verdict && this.depthOf(step.verdict.hash)?.confirmations === FINAL && slot)
            this.slots.delete(slot.nonce)
          return
        case 'unpaid':
          expect(this.mayBeMined(payout), 'freed while a transaction of it may be mined').toBe(false)
          this.free(payout)
          if (step.reorged.length > 0) Object.assign(payout, { state: 'open', reorged: true })
          payout.reverts++
          payout.troubleSince = null
          return
        case 'give_up':
          expect(slot, 'given up with a slot').toBeNull()
          expect(this.mayBeMined(payout), 'given up while a transaction of it may be mined').toBe(false)
          payout.state = 'abandoned'
          return
        case 'hold':
          return
        case 'wait':
          if (step.hold) payout.troubleSince ??= this.now
          return
      }
    }
  }

  /** An attempt of this payout may still be mined: its nonce is unused, or the block that used it is not final. */
  mayBeMined(payout: ModelPayout): boolean {
    return [...this.signed].some(([nonce, attempts]) => {
      const user = this.mined(nonce)
      const isFinal = user && (this.depthOf(user.hash)?.confirmations ?? 0) >= FINAL
      const own = attempts.filter((one) => one.payout === payout.number)
      return own.length > 0 && (!isFinal || (user.payout === payout.number && !user.isFailed))
    })
  }

  private hasGap(nonce: number): boolean {
    if (!this.chain.isOrdered) return false
    return Array.from({ length: nonce }, (_, at) => at).some((at) => !this.mined(at) && !this.slots.has(at))
  }

  private freeNonce(): number {
    let nonce = 0
    while (this.mined(nonce) || this.slots.has(nonce) || this.signed.has(nonce)) nonce++
    return nonce
  }

  private failure(of: 'prepare' | 'sign', purpose: Purpose): Outcome | null {
    const failure = this.faults[of]
    const hold: PayoutHold =
      failure === 'fee_above_limit'
        ? { code: 'fee_above_limit' }
        : failure === 'signer_refused'
          ? { code: 'signer_refused', refusal: 'policy' }
          : TROUBLE
    return failure ? { of, purpose, failure, hold, detail: '' } : null
  }

  private sign({ slot, number }: ModelPayout, purpose: Purpose): Outcome | null {
    const failed = this.failure('prepare', purpose) ?? this.failure('sign', purpose)
    if (failed || !slot) return failed
    const cancels = purpose === 'cancel'
    const attempt: ModelAttempt = {
      ...{
        hash: `0x${this.count++}`,
        payout: cancels ? null : number,
        createdAt: this.now,
        isPermanentlyRejected: false,
      },
      ...{ firstAcceptedAt: null, lastAcceptedAt: null, inMempool: false },
    }
    slot.attempts.push(attempt)
    this.signed.set(slot.nonce, slot.attempts)
    return null
  }

  private send({ slot }: ModelPayout): Outcome | null {
    const attempt = slot?.attempts.at(-1)
    const { broadcast } = this.faults
    if (!attempt) return null
    if (broadcast === 'permanent' && attempt.payout !== null) attempt.isPermanentlyRejected = true
    if (broadcast) return { of: 'broadcast', purpose: 'new', failure: 'retryable', hold: TROUBLE, detail: '' }
    Object.assign(attempt, {
      inMempool: true,
      lastAcceptedAt: this.now,
      firstAcceptedAt: attempt.firstAcceptedAt ?? this.now,
    })
    if (slot) slot.payout.troubleSince = null
    return null
  }

  private free(payout: ModelPayout): void {
    if (payout.slot) this.slots.delete(payout.slot.nonce)
    payout.slot = null
  }

  /**
   * Mines nonces in order: `choose` picks one of the attempts that a node accepted. Independent slots are mined in any
   * order.
   */
  mine(choose: number, isFailed: boolean): void {
    const block = []
    for (const nonce of [...this.signed.keys()].toSorted((a, b) => a - b)) {
      if (this.mined(nonce)) continue
      const able = (this.signed.get(nonce) ?? []).filter((one) => one.firstAcceptedAt !== null)
      const one = able[choose % Math.max(able.length, 1)]
      if (!one && this.chain.isOrdered) break
      if (one) block.push({ hash: one.hash, nonce, payout: one.payout, isFailed: isFailed && one.payout !== null })
    }
    this.blocks.push(block)
    this.now += 12_000
  }

  reorg(depth: number): void {
    this.blocks = this.blocks.slice(0, Math.max(0, this.blocks.length - Math.min(depth, FINAL - 1)))
    for (const attempts of this.signed.values()) for (const one of attempts) one.inMempool = false
  }
}

const dateOf = (at: number | null) => (at === null ? null : new Date(at))

interface Real {
  world: World
}
type Command = fc.Command<object, Real>
function command(name: string, act: (world: World) => void): Command {
  return {
    check: () => true,
    run: (_, { world }) => {
      act(world)
      for (const { number } of world.payouts)
        expect(world.paid(number), `payout ${number} is paid`).toBeLessThanOrEqual(1)
    },
    toString: () => name,
  }
}

const payout = fc.nat({ max: PAYOUTS - 1 })
const failure = fc.constantFrom(null, null, 'retryable', 'impossible', 'fee_above_limit', 'unexpected') as fc.Arbitrary<
  Faults['prepare']
>
const signing = fc.constantFrom(null, null, 'retryable', 'signer_refused', 'slot_unavailable') as fc.Arbitrary<
  Faults['sign']
>
const at = (world: World, number: number) => world.payouts[number] as ModelPayout
const COMMANDS = [
  fc
    .tuple(payout, fc.boolean())
    .map(([one, looks]) => command(`run ${one} ${looks}`, (world) => world.run(at(world, one), looks))),
  fc
    .tuple(payout, fc.boolean())
    .map(([one, looks]) => command(`again ${one} ${looks}`, (world) => world.run(at(world, one), looks))),
  fc
    .tuple(fc.nat({ max: 3 }), fc.boolean())
    .map(([choose, isFailed]) => command(`mine ${choose} ${isFailed}`, (world) => world.mine(choose, isFailed))),
  fc.nat({ max: 3 }).map((depth) => command(`reorg ${depth}`, (world) => world.reorg(depth))),
  fc.constantFrom(5_000, STUCK_MS, GIVE_UP_MS).map((ms) =>
    command(`pass ${ms}`, (world) => {
      world.now += ms
    }),
  ),
  payout.map((one) =>
    command(`reject ${one}`, (world) => {
      if (!at(world, one).slot) at(world, one).isRejected = true
    }),
  ),
  payout.map((one) =>
    command(`cancel ${one}`, (world) => {
      const { slot } = at(world, one)
      if (slot) slot.isCancelWanted = true
    }),
  ),
  fc
    .record({
      ...{ prepare: failure, sign: signing, broadcast: fc.constantFrom(null, null, 'retryable', 'permanent') },
      ...{ objection: fc.constantFrom(null, null, 'hold', 'wait'), isSourceLost: fc.constantFrom(false, false, true) },
      isSourceInDoubt: fc.constantFrom(false, false, true),
    })
    .map((faults) =>
      command(JSON.stringify(faults), (world) => {
        world.faults = faults as Faults
      }),
    ),
]

test.each([
  ['one after the other', true],
  ['independent of each other', false],
])('slots that are mined %s: nobody is paid twice, and every payout ends', (_, isOrdered) => {
  fc.assert(
    fc.property(fc.commands(COMMANDS, { maxCommands: 60 }), (commands) => {
      const world = new World(isOrdered)
      fc.modelRun(() => ({ model: {}, real: { world } }), commands)
      // From here on everything works, and an operator answers every hold.
      world.faults = { ...HEALTHY }
      for (let round = 0; round < 60; round++) {
        for (const one of world.payouts) {
          one.reorged = false
          world.run(one, true)
          world.run(one, false)
        }
        world.mine(round, false)
        world.now += STUCK_MS
      }
      for (const one of world.payouts) {
        expect(['confirmed', 'abandoned'], `payout ${one.number} has ended`).toContain(one.state)
        expect(world.paid(one.number)).toBe(one.state === 'confirmed' ? 1 : 0)
      }
    }),
    { numRuns: 150 },
  )
})

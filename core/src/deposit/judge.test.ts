/** Property tests of the deposit state machine over a model chain with reorgs, stale nodes and payouts in between. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockRef } from '../money/block.ts'
import { type DepositStep, judgeDeposit, type KnownDeposit, type Look, refreshed } from './judge.ts'
import {
  compareObservations,
  type DepositTransfer,
  isWorthStoring,
  type Observation,
  type Observer,
  type Seen,
} from './observation.ts'
import { isSameTransfer } from './same-transfer.ts'
import type { BlockRecord, BlockView } from './standing.ts'
import { CONTENTS, type Command, FINAL, type Node, RE_INCLUDED_WITHOUT_US } from './testing.ts'

const REQUIRED = 2

interface Block extends BlockRef {
  content: readonly DepositTransfer[] | null
}
/** One transaction on one chain, its stored observations and deposits, and the checks that hold after every judgement. */
class World {
  made = 0
  branch: Block[] = Array.from({ length: 10 }, (_, number) => this.block(BigInt(number), null))
  stale = this.branch
  mempool: readonly DepositTransfer[] | null = null
  scanned: readonly Block[] = this.branch
  generation = 0n
  blocks = new Map<string, BlockRecord & BlockRef>()
  stored: Observation[] = []
  all: Observation[] = []
  known: KnownDeposit[] = []
  sent = new Set<string>()
  looks: readonly Look[] = []

  private block(number: bigint, content: Block['content']): Block {
    this.made += 1
    return { number, hash: `block ${this.made}`, content }
  }
  get scannedTo(): bigint {
    return BigInt(this.scanned.length - 1)
  }
  get view(): BlockView {
    const { generation, scannedTo } = this
    return { generation, scannedTo, find: (hash) => this.blocks.get(hash) }
  }
  get rules() {
    return { finalDepth: FINAL, mayCredit: true, required: () => REQUIRED, known: this.known }
  }
  get mined(): Block | undefined {
    return this.branch.find(({ content }) => content !== null)
  }

  run(command: Command): void {
    if (command.is === 'round') {
      for (let block = 0; block < command.blocks; block++) this.mine()
      this.round(command.node)
    } else if (command.is === 'include') {
      if (!this.mined) this.mine(CONTENTS[command.content])
    } else if (command.is === 'mempool') {
      if (!this.mined) this.mempool = CONTENTS[command.content] ?? null
    } else if (command.is === 'hint') {
      const answer = this.ask(command.node, 'hint')
      if (answer?.kind === 'seen') this.record([answer])
    } else if (command.is === 'spend') this.spend(command.isSent)
    else this.reorg(command.depth, command.content)
  }

  mine(content: Block['content'] = null): void {
    this.branch = [...this.branch, this.block(BigInt(this.branch.length), content)]
    if (content) this.mempool = null
  }

  /** Never below the final depth. The last new block has the transaction again with this content, unless dropped. */
  reorg(depth: number, content: number | 'dropped'): void {
    this.stale = this.branch
    const had = this.mined
    this.branch = this.branch.slice(0, this.branch.length - depth)
    const isGone = had !== undefined && this.mined === undefined
    for (let block = 0; block <= depth; block++) {
      const again = isGone && block === depth && content !== 'dropped' ? (CONTENTS[content] ?? []) : null
      this.mine(again)
    }
  }

  spend(isSent: boolean): void {
    this.known = this.known.map((one) => {
      if (one.state !== 'confirmed' || one.swapId === null || one.isSuperseded) return one
      if (this.looks.some((look) => look.class === 'reverify' || look.class === 'unlocatable')) return one
      if (isSent) this.sent.add(one.id)
      return { ...one, spentUnits: one.transfer.units }
    })
  }

  scan(): void {
    const from = this.scanned.findIndex(({ hash }, at) => this.branch[at]?.hash !== hash)
    const start = from < 0 ? this.scanned.length : from
    if (from >= 0) this.generation += 1n
    this.scanned = this.branch
    const at = { generation: this.generation, since: this.scannedTo }
    for (const block of this.blocks.values())
      if (from >= 0 && block.number >= BigInt(from)) this.blocks.set(block.hash, { ...block, state: 'orphaned', ...at })
    const found = this.branch.slice(start).find(({ content }) => content !== null && content.length > 0)
    if (found) this.blocks.set(found.hash, { number: found.number, hash: found.hash, state: 'canonical', ...at })
    this.record(found ? [this.seen('scan', found)] : [])
  }

  round(node: Node): void {
    this.scan()
    for (const name of ['reverify', 'credit', 'mempool', 'orphaned', 'lost', 'unlocatable']) {
      if (!this.looks.some((look) => look.class === name && look.due <= this.scannedTo)) continue
      const answer = this.ask(node, 'inspection')
      this.record(answer ? [answer] : [])
    }
    this.known = this.known.map((one) => {
      const isDeep = one.block !== null && one.block.number <= this.scannedTo - BigInt(FINAL)
      const isSure = !this.looks.some((look) => look.class === 'reverify' || look.class === 'unlocatable')
      return one.state === 'confirmed' && isDeep && isSure ? { ...one, isFinal: true } : one
    })
    this.record([])
  }

  seen(by: Observer, { number, hash, content }: Block, branch: readonly Block[] = this.branch): Seen {
    const clock = { generation: this.generation, head: this.scannedTo }
    const confirmations = branch.length - Number(number)
    return { kind: 'seen', by, clock, block: { number, hash }, confirmations, transfers: content ?? [] }
  }

  ask(node: Node, by: Observer): Observation | null {
    if (node === 'silent') return null
    const clock = { generation: this.generation, head: this.scannedTo }
    const branch = node === 'stale' ? this.stale : node === 'lagging' ? this.branch.slice(0, -2) : this.branch
    const found = branch.find(({ content }) => content !== null)
    if (found) return this.seen(by, found, branch)
    if (this.mempool) return { kind: 'seen', by, clock, block: null, confirmations: 0, transfers: this.mempool }
    return { kind: 'absent', by, clock }
  }

  /** Works as the service does: judge, apply the actions, store; repeated while the judgement is open. */
  record(fresh: readonly Observation[]): void {
    const observations = [...this.stored, ...fresh]
    this.all.push(...fresh)
    for (let isOpen = true; isOpen; ) {
      const before = this.known
      const { rules } = this
      const judgement = judgeDeposit(observations, this.view, rules)
      const shuffled = [...fresh, ...observations].reverse()
      expect(judgeDeposit(shuffled, this.view, rules), 'neither order nor repetition matters').toEqual(judgement)
      const unpruned = judgeDeposit(this.all, this.view, rules)
      expect(moneyIn(unpruned), 'what is not stored credits nothing and takes nothing back').toEqual(moneyIn(judgement))
      for (const action of judgement.actions) {
        this.checkCredit(action, observations)
        this.apply(action)
      }
      for (const one of before.filter(({ isFinal }) => isFinal))
        expect(this.known.find(({ id }) => id === one.id)).toEqual(one)
      for (const { number, hash, state } of judgement.blocks)
        this.blocks.set(hash, { number, hash, state, generation: this.generation, since: this.scannedTo })
      for (const doubt of judgement.actions) if (doubt.do === 'doubt') this.doubt(doubt.from)
      this.looks = judgement.looks
      isOpen = judgement.isOpen
      if (!isOpen) this.checkVerdicts(judgement.verdicts)
    }
    const again = judgeDeposit(observations, this.view, this.rules).actions
    // A deposit that was inserted, moved or revived may be credited by the next judgement.
    expect(again.filter((one) => one.do !== 'credit' && one.do !== 'alert')).toEqual([])
    for (const one of fresh) if (isWorthStoring(this.stored, one, FINAL, [REQUIRED])) this.stored.push(one)
  }

  doubt(from: bigint): void {
    const now = { state: 'unverified', generation: this.generation, since: this.scannedTo } as const
    for (const block of this.blocks.values())
      if (block.number >= from && block.state === 'canonical') this.blocks.set(block.hash, { ...block, ...now })
  }

  apply(action: DepositStep): void {
    if (action.do === 'insert') {
      const { transfer: each, block, isAfterLoss } = action
      const id = `deposit ${this.known.length}`
      const fresh = { state: 'seen', spentUnits: 0n, isSuperseded: false, isFinal: false, required: REQUIRED } as const
      this.known.push({ id, transfer: each, block, swapId: isAfterLoss ? null : 'swap', ...fresh })
      return
    }
    this.known = this.known.map((one) => (one.id === action.id ? this.changed(one, action) : one))
  }

  changed(one: KnownDeposit, action: DepositStep): KnownDeposit {
    switch (action.do) {
      case 'move':
      case 'revive': {
        const state = action.do === 'revive' ? 'seen' : one.state
        return { ...one, state, block: action.block, transfer: refreshed(one, action.transfer) }
      }
      case 'credit': {
        const swapId = action.isBesideLoss ? null : one.swapId
        return { ...one, state: 'confirmed', swapId, transfer: { ...one.transfer, units: action.units } }
      }
      case 'orphan': {
        const isLost = one.state === 'confirmed' && this.sent.has(one.id)
        return { ...one, state: isLost ? 'lost' : 'gone', spentUnits: isLost ? one.spentUnits : 0n }
      }
      case 'supersede':
        return { ...one, isSuperseded: true }
      case 'restore':
        return { ...one, isSuperseded: false }
      default:
        return one
    }
  }

  /** A credit needs an inspection at the required depth, in a valid block. A sibling of a loss gets no swap. */
  checkCredit(action: DepositStep, observations: readonly Observation[]): void {
    if (action.do !== 'credit') return
    const deposit = this.known.find(({ id }) => id === action.id)
    const isDeep = (one: Seen) => one.by === 'inspection' && one.confirmations >= REQUIRED
    const isProof = (one: Observation) =>
      one.kind === 'seen' &&
      isDeep(one) &&
      one.block !== null &&
      this.blocks.get(one.block.hash)?.state !== 'orphaned' &&
      one.transfers.some((each) => deposit && shows(each, deposit) && each.units === action.units)
    expect(observations.some(isProof), 'an inspection at the required depth').toBe(true)
    if (!deposit || deposit.state === 'lost' || action.isBesideLoss) return
    const lost = this.known.filter((one) => one.state === 'lost' && one.id !== deposit.id)
    const isIn = (seen: Observation) => (one: KnownDeposit) =>
      seen.kind === 'seen' && seen.transfers.some((each) => shows(each, one))
    const holdsBoth = (one: KnownDeposit) => observations.some((seen) => [one, deposit].every(isIn(seen)))
    expect(lost.every(holdsBoth), 'no deposit beside a loss is assigned').toBe(true)
  }

  /** Verdicts match what was stored, and every deposit that is not final has a scheduled inspection. */
  checkVerdicts(verdicts: ReturnType<typeof judgeDeposit>['verdicts']): void {
    const names = { seen: 'pending', gone: 'orphaned', lost: 'orphaned_after_spend' } as const
    for (const [at, one] of this.known.entries()) {
      const credit = one.swapId === null ? 'unmatched' : 'credited'
      const name = one.isSuperseded ? 'superseded' : one.state === 'confirmed' ? credit : names[one.state]
      expect(verdicts[at]?.state).toBe(name)
    }
    const live = this.known.filter(({ isSuperseded, isFinal }) => !isSuperseded && !isFinal)
    for (const { state, block } of live) {
      if (
        state === 'confirmed' ||
        (state === 'gone' && (!block || this.scannedTo >= block.number + 2n * BigInt(FINAL)))
      )
        continue
      expect(this.looks, `${state} has a look`).not.toEqual([])
    }
  }

  /** Nodes are honest from now on, and nothing new happens. */
  rest(): void {
    this.stale = this.branch
    this.mempool = null
    for (let round = 0; round < 4 * FINAL; round++) {
      this.mine()
      this.round('honest')
    }
  }
}

function moneyIn({ verdicts }: ReturnType<typeof judgeDeposit>) {
  return verdicts.filter(({ state }) => ['credited', 'unmatched', 'orphaned_after_spend'].includes(state))
}

function shows(each: DepositTransfer, { transfer: known }: KnownDeposit): boolean {
  return each.index === known.index && isSameTransfer(each, known)
}

const node = fc.constantFrom<Node>('honest', 'honest', 'stale', 'lagging', 'silent')
const content = fc.nat({ max: CONTENTS.length - 1 })
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constant('round' as const), node, blocks: fc.integer({ min: 0, max: 2 }) }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('include' as const), content }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('mempool' as const), content }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('hint' as const), node }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('spend' as const), isSent: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: FINAL - 1 }),
      content: fc.oneof(content, fc.constant('dropped' as const)),
    }),
  },
)

function worldAfter(commands: readonly Command[]): World {
  const world = new World()
  for (const each of commands) world.run(each)
  return world
}

describe('the deposit state machine', () => {
  test('after any history, deposits on the chain are credited and final, and all others are orphaned', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
        const world = worldAfter(commands)
        world.rest()
        const live = world.known.filter(({ isSuperseded }) => !isSuperseded)
        const there = (world.mined?.content ?? []).map(({ index, units, reference }) => [index, units, reference])
        const credited = live.filter(({ state }) => state === 'confirmed')
        expect(
          credited.map(({ transfer: each }) => [each.index, each.units, each.reference]).sort(),
          'the credited units are those of the chain',
        ).toEqual(there.sort())
        expect(credited.every(({ isFinal }) => isFinal)).toBe(true)
        for (const { state } of live) expect(['confirmed', 'gone', 'lost']).toContain(state)
      }),
      { numRuns: 500, examples: [[[...RE_INCLUDED_WITHOUT_US]]] },
    )
  })

  test('a node on an orphaned branch, and an answer older than the last sighting, change nothing', () => {
    fc.assert(
      fc.property(
        fc.array(command, { maxLength: 20 }),
        fc.constantFrom<Observer>('hint', 'inspection'),
        (commands, by) => {
          const world = worldAfter(commands)
          const clock = { generation: world.generation, head: world.scannedTo }
          const orphaned = [...world.blocks.values()].filter(({ state }) => state === 'orphaned')
          const stale: Observation[] = orphaned.map(({ number, hash }) => ({
            ...{ kind: 'seen', by, clock, block: { number, hash }, confirmations: FINAL, transfers: CONTENTS[5] ?? [] },
          }))
          const [newest] = world.stored.filter(({ kind }) => kind === 'seen').slice(-1)
          if (newest)
            stale.push({ kind: 'absent', by: 'inspection', clock: { ...newest.clock, head: newest.clock.head - 1n } })
          const before = judgeDeposit(world.stored, world.view, world.rules)
          const after = judgeDeposit([...world.stored, ...stale], world.view, world.rules)
          expect(moneyIn(after)).toEqual(moneyIn(before))
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('examples', () => {
  const round = (node: Node = 'honest', blocks = 1): Command => ({ is: 'round', node, blocks })
  const statesOf = ({ known }: World) => known.map(({ state, transfer: { index } }) => [index, state])

  test('a paid deposit that is mined again at another index stays the same deposit', () => {
    const world = worldAfter([{ is: 'include', content: 0 }, round(), { is: 'spend', isSent: true }])
    for (const each of [{ is: 'reorg', depth: 2, content: 3 } as const, round(), round()]) world.run(each)
    expect(statesOf(world)).toEqual([[1, 'confirmed']])
  })

  test('a re-mined deposit with other units is another one, assigned to no swap automatically', () => {
    const world = worldAfter([{ is: 'include', content: 0 }, round(), { is: 'spend', isSent: true }])
    for (const each of [{ is: 'reorg', depth: 2, content: 4 } as const, round(), round()]) world.run(each)
    expect(statesOf(world)).toEqual([
      [0, 'lost'],
      [1, 'confirmed'],
    ])
    expect(world.known[1]?.swapId).toBeNull()
  })

  test('a transfer in the place of a lost deposit belongs to no swap, even before it is credited', () => {
    const world = worldAfter([{ is: 'include', content: 0 }, round(), { is: 'spend', isSent: true }])
    world.reorg(2, 2)
    world.round('honest')
    expect(world.known.map(({ state, swapId }) => `${state} ${swapId}`)).toEqual(['lost swap', 'seen null'])
  })

  test('one "unknown" answer does not orphan a mined deposit; absences over the final depth do', () => {
    const world = worldAfter([{ is: 'include', content: 0 }])
    world.run({ is: 'hint', node: 'honest' })
    // A reorg replaces the block before the scan reaches it.
    world.reorg(1, 'dropped')
    world.run(round())
    expect(statesOf(world)).toEqual([[0, 'seen']])
    for (let block = 0; block < FINAL; block++) world.run(round())
    expect(statesOf(world)).toEqual([[0, 'gone']])
  })

  test('a deposit that no node can find after a reorg is unlocatable after the final depth', () => {
    const world = worldAfter([{ is: 'include', content: 0 }, round()])
    world.reorg(2, 'dropped')
    world.run(round('silent'))
    expect(world.looks.map((look) => look.class)).toEqual(['reverify'])
    for (let block = 0; block < FINAL; block++) world.run(round('silent'))
    expect(world.looks.map((look) => look.class)).toEqual(['unlocatable'])
  })
})

test('an answer from before a reorg is older than one from after it, however high its head', () => {
  const at = (generation: bigint, head: bigint): Observation => ({
    ...{ kind: 'absent', by: 'inspection', clock: { generation, head } },
  })
  expect(compareObservations(at(1n, 900n), at(2n, 5n))).toBe(-1)
  expect(compareObservations(at(2n, 5n), at(1n, 900n))).toBe(1)
})

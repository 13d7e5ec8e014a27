/**
 * One local chain: a mempool that keeps the first transaction of a sequence, blocks that are final at once, and the
 * hashes that a real block has. It can simulate the faults of real nodes.
 */
import { openEnvelope } from './envelope.ts'
import { execute, type Outcome, type Rules } from './execute.ts'
import { EMPTY_HASH, type HeaderParts, headerHash, resultsRoot, sha256, treeHash } from './hashes.ts'
import { Ledger } from './ledger.ts'
import { type ChainEvent, eventOf, Failed } from './messages.ts'

export interface ChainPlan {
  chainId: string
  prefix: string
  feeDenom: string
  /** The gas price in 10^-18 base units, as text. */
  gasPrice: string
  /** Accounts that cannot receive. */
  blocked: string[]
  /** The initial balances. */
  riches: { address: string; denom: string; amount: string }[]
}

export interface Delivered {
  hash: string
  bytes: Buffer
  outcome: Outcome
}

export interface LocalBlock {
  header: HeaderParts
  hash: Buffer
  /** The time, with all nine digits of the second. */
  time: string
  transactions: Delivered[]
  /** Events outside any transaction. */
  events: ChainEvent[]
}

/** Faults of the node in front of the chain. */
export interface Faults {
  /** Whether automatic blocks are stopped. */
  isHalted: boolean
  /** Hashes of transactions that the index has lost. */
  forgotten: Set<string>
  /** Whether the index shows the rejected one of two identical transactions. */
  showsTwins: boolean
  /** Blocks from this height on have no results yet; null for none. */
  resultsMissingFrom: bigint | null
  /** State below this height is pruned. */
  prunedBelow: bigint
}

/** Minted coins; each gift gets its own block. */
interface Gift {
  address: string
  denom: string
  amount: bigint
}

/** The block interval of a quiet chain: depths and clocks depend on blocks. */
const IDLE_BLOCK_MS = 1_000
/** The block interval while transactions are pending, so that users do not wait for the chain. */
const BUSY_BLOCK_MS = 20
const PROPOSER = sha256('proposer').subarray(0, 20)
/** The minimum time between two blocks: the validators' clocks never run backwards. */
const LEAST_STEP_MS = 1

export class LocalChain {
  readonly rules: Rules
  readonly ledger = new Ledger()
  /** The blocks; the first one is at height 1. */
  readonly blocks: LocalBlock[] = []
  readonly faults: Faults = {
    isHalted: false,
    forgotten: new Set(),
    showsTwins: false,
    resultsMissingFrom: null,
    prunedBelow: 1n,
  }
  /** Pending bytes by hash, oldest first. */
  readonly pool = new Map<string, Buffer>()
  /** Hashes that the mempool remembers although they are in a block. */
  readonly #cache = new Set<string>()
  readonly #places = new Map<string, { height: bigint; index: number }[]>()
  /** Bytes that the next block includes without validation. */
  #forced: Buffer[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(plan: ChainPlan) {
    this.rules = {
      ...{ chainId: plan.chainId, prefix: plan.prefix, feeDenom: plan.feeDenom, gasPrice: BigInt(plan.gasPrice) },
      ...{ disabled: new Set(), blocked: new Set(plan.blocked), grants: new Set(), authenticators: new Set() },
    }
    this.#makeBlock(plan.riches.map(({ address, denom, amount }) => ({ address, denom, amount: BigInt(amount) })))
  }

  get height(): bigint {
    return BigInt(this.blocks.length)
  }

  blockAt(height: bigint): LocalBlock | undefined {
    return this.blocks[Number(height) - 1]
  }

  /** The positions that the index reports. */
  placesOf(hash: string): readonly { height: bigint; index: number }[] {
    return this.faults.forgotten.has(hash) ? [] : (this.#places.get(hash) ?? [])
  }

  /** Offers a transaction to the mempool; `known` if it already has the transaction. */
  submit(bytes: Buffer): Outcome | 'known' {
    const hash = hashOf(bytes)
    if (this.#cache.has(hash) || this.pool.has(hash)) return 'known'
    const outcome = this.#check(bytes)
    if (outcome.code === 0) {
      this.pool.set(hash, bytes)
      this.#cache.add(hash)
      this.#schedule()
    }
    return outcome
  }

  /** The gas that the transaction would use after everything pending; the outcome if it would fail. */
  simulate(bytes: Buffer): Outcome {
    const state = this.#poolState()
    return run(state, this.rules, bytes, { height: this.height + 1n, isTrial: true })
  }

  force(bytes: Buffer): void {
    this.#forced.push(bytes)
  }

  mine(blocks: number): void {
    for (let made = 0; made < blocks; made++) this.#makeBlock([])
  }

  give(gift: Gift): void {
    this.#makeBlock([gift])
  }

  /** Starts making blocks automatically. */
  start(): void {
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.faults.isHalted) return
    const delay = this.pool.size > 0 ? BUSY_BLOCK_MS : IDLE_BLOCK_MS
    this.#timer = setTimeout(() => {
      if (!this.faults.isHalted) this.#makeBlock([])
      this.#schedule()
    }, delay)
  }

  setHalted(isHalted: boolean): void {
    this.faults.isHalted = isHalted
    this.#schedule()
  }

  #check(bytes: Buffer): Outcome {
    return run(this.#poolState(), this.rules, bytes, { height: this.height, isCheck: true })
  }

  /** The newest state with the pending transactions on top. */
  #poolState(): Ledger {
    const state = this.ledger.aside()
    for (const bytes of this.pool.values()) run(state, this.rules, bytes, { height: this.height, isCheck: true })
    return state
  }

  #makeBlock(gifts: readonly Gift[]): void {
    const height = this.height + 1n
    const taken = [...this.pool.values(), ...this.#forced]
    this.#forced = []
    this.pool.clear()
    const events = gifts.map(({ address, denom, amount }) => {
      this.ledger.add(address, denom, amount)
      return eventOf('coin_received', { receiver: address, amount: `${amount}${denom}` })
    })
    const transactions = taken.map((bytes, index): Delivered => {
      const outcome = run(this.ledger, this.rules, bytes, { height })
      const hash = hashOf(bytes)
      // A failed transaction may be sent again: real mempools forget it.
      if (outcome.code !== 0) this.#cache.delete(hash)
      this.#places.set(hash, [...(this.#places.get(hash) ?? []), { height, index }])
      return { hash, bytes, outcome }
    })
    this.ledger.commit(height)
    this.blocks.push(this.#seal(height, transactions, events))
  }

  #seal(height: bigint, transactions: Delivered[], events: ChainEvent[]): LocalBlock {
    const last = this.blocks.at(-1)
    const lastMs = last ? Number(last.header.seconds) * 1_000 + Number(last.header.nanos / 1_000_000n) : 0
    const timeMs = Math.max(Date.now(), lastMs + LEAST_STEP_MS)
    // The time also has digits below the millisecond, as in real headers, whose hash covers them.
    const nanos = BigInt(timeMs % 1_000) * 1_000_000n + 456_789n
    const header: HeaderParts = {
      chainId: this.rules.chainId,
      height,
      seconds: BigInt(Math.floor(timeMs / 1_000)),
      nanos,
      lastBlock: last ? { hash: last.hash, parts: sha256(last.hash) } : null,
      lastCommit: last ? sha256(`commit ${height}`) : EMPTY_HASH,
      data: treeHash(transactions.map(({ bytes }) => sha256(bytes))),
      validators: sha256('validators'),
      consensus: sha256('consensus'),
      app: sha256(`state ${height - 1n}`),
      lastResults: resultsRoot(last?.transactions.map(({ outcome }) => outcome) ?? []),
      evidence: EMPTY_HASH,
      proposer: PROPOSER,
    }
    const time = `${new Date(timeMs).toISOString().slice(0, 19)}.${String(nanos).padStart(9, '0')}Z`
    return { header, hash: headerHash(header), time, transactions, events }
  }
}

export function hashOf(bytes: Buffer): string {
  return sha256(bytes).toString('hex').toUpperCase()
}

function run(ledger: Ledger, rules: Rules, bytes: Buffer, mode: Parameters<typeof execute>[4]): Outcome {
  const refused = { data: Buffer.alloc(0), gasWanted: 0n, gasUsed: 0n, events: [], used: [], codespace: 'sdk' }
  try {
    return execute(ledger, rules, openEnvelope(bytes), bytes.length, mode)
  } catch (error) {
    const code = error instanceof Failed ? error.code : 2
    return { ...refused, code, log: `${error instanceof Error ? error.message : String(error)}: tx parse error` }
  }
}

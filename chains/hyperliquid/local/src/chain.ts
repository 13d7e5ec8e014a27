/**
 * One local ledger: accounts with two balances each, their ledger rows, and their used nonces. Each action executes at
 * once in its own block. Time follows the clock and can be advanced by a test.
 */
import { randomBytes } from 'node:crypto'

export interface TokenPlan {
  name: string
  id: string
  index: number
  decimals: number
}

export interface ChainPlan {
  name: string
  chain: 'Mainnet' | 'Testnet'
  tokens: TokenPlan[]
}

export interface Entry {
  time: number
  hash: string
  delta: Record<string, unknown>
}

export interface Account {
  /** Spot balances by token index, in the token's base units. */
  spot: Map<number, bigint>
  /** The perpetuals balance, in millionths of a dollar. */
  perp: bigint
  rows: Entry[]
  /** The highest nonces that were used. */
  nonces: number[]
  /** Whether the one-dollar activation fee was paid, by the first sender or by the account. */
  isPaid: boolean
  hasSent: boolean
  mode: string
  role: string
  sent: number
}

/** The state of an account after an event. */
interface Snapshot {
  time: number
  account: Pick<Account, 'spot' | 'perp'> | null
  rows: Entry[]
  count: number
}

export interface Faults {
  /** How far behind the gateway's answers are. */
  lagMs: number
  /** Additional lag of each backend, asked in turn. Empty means a single backend. */
  backendLagsMs: number[]
  /** One in this many actions executes but loses its answer; one in this many is rejected. Zero disables it. */
  loseEvery: number
  refuseEvery: number
  /** This many actions execute, but their answers are lost. */
  lostAnswers: number
  /** This many actions are answered with "ok" and forgotten. */
  lostActions: number
  /** This many actions are rejected by the gateway itself. */
  refusals: number
  /** The request weight allowed per minute; null for no limit. */
  weightPerMinute: number | null
}

export interface LoggedAction {
  action: Record<string, unknown>
  user: string
  hash: string
  time: number
  block: number
}

const KEPT_NONCES = 100
const SNAPSHOTS = 200
const USDC = 0
export const ACTIVATION = 100_000_000n

export class LocalChain {
  readonly plan: ChainPlan
  readonly faults: Faults = {
    ...{ lagMs: 0, backendLagsMs: [], loseEvery: 0, refuseEvery: 0 },
    ...{ lostAnswers: 0, lostActions: 0, refusals: 0, weightPerMinute: null },
  }
  readonly actions: LoggedAction[] = []
  readonly #accounts = new Map<string, Account>()
  readonly #snapshots = new Map<string, Snapshot[]>()
  #aheadMs = 0
  #latest = 0
  #questions = 0
  #height = 800_000_000

  constructor(plan: ChainPlan) {
    this.plan = plan
  }

  /** The network's time. It never goes back, whatever the machine's clock does. */
  get time(): number {
    this.#latest = Math.max(this.#latest, Date.now() + this.#aheadMs)
    return this.#latest
  }

  /** The lag of the backend that answers this request. */
  get lagMs(): number {
    const { lagMs, backendLagsMs } = this.faults
    return lagMs + (backendLagsMs[this.#questions % Math.max(1, backendLagsMs.length)] ?? 0)
  }

  /** Moves to the next backend, which answers the next request. */
  turn(): number {
    this.#questions += 1
    return this.#questions
  }

  get height(): number {
    return this.#height
  }

  mine(blocks: number): void {
    this.advance(blocks * 1_000)
    this.#height += blocks
  }

  advance(ms: number): void {
    this.#aheadMs += ms
  }

  account(address: string): Account | undefined {
    return this.#accounts.get(address)
  }

  /** The account as shown by a gateway with this lag. */
  seen(address: string): { account: Pick<Account, 'spot' | 'perp'> | null; rows: readonly Entry[] } {
    const { lagMs } = this
    const live = this.#accounts.get(address)
    if (lagMs === 0) return { account: live ?? null, rows: live?.rows ?? [] }
    const past = this.#snapshots.get(address) ?? []
    const then = past.findLast(({ time }) => time <= this.time - lagMs)
    return { account: then?.account ?? null, rows: then ? then.rows.slice(0, then.count) : [] }
  }

  born(address: string, isPaid: boolean): Account {
    const known = this.#accounts.get(address)
    if (known) return known
    const account: Account = {
      ...{ spot: new Map(), perp: 0n, rows: [], nonces: [], isPaid, hasSent: false, mode: 'default', role: 'user' },
      sent: 0,
    }
    this.#accounts.set(address, account)
    return account
  }

  /** The time and the hash of a new block's only transaction. */
  block(): { time: number; hash: string; height: number } {
    this.#height += 1
    this.#latest = Math.max(this.time, this.#latest + 1)
    return { time: this.#latest, hash: hashAt(this.#height, 0), height: this.#height }
  }

  add(account: Account, index: number, units: bigint): void {
    account.spot.set(index, (account.spot.get(index) ?? 0n) + units)
  }

  held(account: Account, index: number): bigint {
    return account.spot.get(index) ?? 0n
  }

  use(account: Account, nonce: number): void {
    account.nonces = [...account.nonces, nonce].sort((a, b) => b - a).slice(0, KEPT_NONCES)
  }

  /** Deletes accounts without a balance and everything known about them, then records the new state. */
  settle(addresses: Iterable<string>): void {
    for (const address of new Set(addresses)) {
      const account = this.#accounts.get(address)
      const isEmpty = account && account.perp === 0n && [...account.spot.values()].every((units) => units === 0n)
      if (isEmpty) this.#accounts.delete(address)
      const rows = isEmpty ? [] : (account?.rows ?? [])
      const shown = account && !isEmpty ? { spot: new Map(account.spot), perp: account.perp } : null
      const past = this.#snapshots.get(address) ?? []
      past.push({ time: this.#latest, account: shown, rows, count: rows.length })
      this.#snapshots.set(address, past.slice(-SNAPSHOTS))
    }
  }

  /** Mints without a ledger row. */
  fund(address: string, index: number, units: bigint): void {
    this.block()
    this.add(this.born(address, true), index, units)
    this.settle([address])
  }

  get usdc(): number {
    return USDC
  }
}

/** Follows the known format of the network's hashes: height and index are in the middle. */
function hashAt(height: number, index: number): string {
  const middle = [height, index].map((value) => {
    const hex = value === 0 ? '' : value.toString(16)
    const bytes = hex.padStart(hex.length + (hex.length % 2), '0')
    return (bytes.length / 2).toString(16).padStart(2, '0') + bytes
  })
  const start = randomBytes(10).toString('hex') + middle.join('')
  return `0x${`${start}00${randomBytes(32).toString('hex')}`.slice(0, 64)}`
}

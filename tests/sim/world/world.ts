/** A simulated world: chains, a database, two server processes, users, and the record of the run. */
import type { Token } from '@causeway/core'
import type { SimulatedChain } from '../../../chains/simulated/local/src/index.ts'
import type { Move } from '../../../chains/simulated/src/transaction.ts'
import type { CommandContext } from '../../../server/src/admin/context/command-context.ts'
import type { TestServices } from '../../support/service/services.ts'
import type { Trouble } from '../faults/faults.ts'
import type { DisasterState } from '../faults/storm.ts'
import type { Oracle } from '../oracle/port.ts'
import type { Listing } from '../people/screening.ts'
import type { Story } from '../timeline.ts'
import type { Life } from './process.ts'
import type { Random } from './random.ts'

export interface KnownSwap {
  number: number
  id: string
  source: Token
  destination: Token
  receiver: string
  units: bigint
  usesDepositAddress: boolean
  destinationAddress: string
  expiresAtMs: number
}

/** A scheduled action of a user. */
interface Intent {
  dueMs: number
  act(): Promise<void> | void
}

interface UserTransaction {
  network: string
  hash: string
  bytes: string
  swap: number | null
  isOfCrowd: boolean
}

/**
 * Transactions that another party signed with our key. `broughtUnits` of native coins came with each, outside any
 * transaction.
 */
interface ForeignTransaction {
  network: string
  hash: string
  broughtUnits: bigint
}

/** Payouts of a scope were paused between these times. */
export interface Pause {
  scope: string
  fromMs: number
  toMs: number
}

export interface Process {
  name: string
  life: Life
  starts: number
  skewMs: number
  /** The step during which it was paused. */
  paused: Promise<unknown> | null
}

export interface World {
  seed: number
  random: Random
  story: Story
  trouble: Trouble
  base: TestServices
  chains: ReadonlyMap<string, SimulatedChain>
  processes: Process[]
  swaps: KnownSwap[]
  intents: Intent[]
  transactions: UserTransaction[]
  /** Crashed workers whose locks are not freed yet. */
  deadWorkers: string[]
  /** Unexpected errors. */
  unexpectedErrors: string[]
  /** Why payouts had to wait, and how often orders were refused for which reason. */
  refusals: Set<string>
  refusedOrders: Map<string, number>
  /** The treasuries' balances before the first step, and later credits that no scan shows. */
  openingBalances: ReadonlyMap<string, bigint>
  gifts: Map<string, bigint>
  listing: Listing
  pauses: Pause[]
  oracle: Oracle
  disasters: DisasterState
  /** Transactions that another party signed with our key. */
  foreign: ForeignTransaction[]
  /** All transfers that re-mined transactions with other content ever made, by hash: including removed ones. */
  shown: Map<string, Move[]>
  /** Recipients that have failed a payout once. */
  refusers: Set<string>
  /** An integrator, whose returning customers get the same deposit address. */
  appId: string | null
  /** Runs the operator's commands. */
  desk: CommandContext
  /** The database went back in time, and the journal is not replayed yet. */
  restoring: 'journal' | null
  /** The operator resumes payouts before reviewing them. */
  isImpatient: boolean
  /** The address branches of all process starts, as logged. */
  branches: number[]
  /** How often the database was restored so far. */
  restores: number
  /** The database went back in time, and the operator does not know it yet. */
  isBehind: boolean
  /** Wallets of former keys, by network. */
  formerWallets: Map<string, string>
  /** Swaps that the database has forgotten. */
  lostSwaps: Set<string>
  /** Holds that the operator has answered, and holds as they were shown some time ago. */
  answered: Set<string>
  shownHolds: { payout: string; hold: string }[]
  /** Virtual milliseconds since the beginning. */
  elapsedMs: number
  /** Queries the database outside any process, at the virtual time. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  restart(process: Process): Promise<void>
  stop(): Promise<void>
}

const EPOCH_MS = Date.UTC(2040, 0, 1)

/** The virtual time. */
export function nowIn({ elapsedMs }: World): Date {
  return new Date(EPOCH_MS + elapsedMs)
}

/** Virtual milliseconds from the beginning to a moment. */
export function sinceStart(at: Date): number {
  return at.getTime() - EPOCH_MS
}

/** A token that no file names is not watched, as `docs/operate/configure.md` says: nothing is expected of it. */
export function isForgotten({ disasters }: World, { network, contract }: Pick<Token, 'network' | 'contract'>): boolean {
  const { catalogue, unlisted } = disasters
  return catalogue !== null && unlisted?.network === network && unlisted.contract === contract
}

export function tokensOf({ catalogue }: TestServices): Token[] {
  return catalogue.networks.flatMap(({ tokens }) => tokens)
}

export function keyOf(token: Token): string {
  return `${token.network}/${token.contract ?? 'native'}`
}

export function chainIn(world: Pick<World, 'chains'>, network: string): SimulatedChain {
  const chain = world.chains.get(network)
  if (!chain) throw new Error(`no chain ${network}`)
  return chain
}

/** A transaction that fell out of its block and is signed again is the same one: its fee is paid once. */
export function rememberForeign({ foreign }: Pick<World, 'foreign'>, signed: ForeignTransaction): void {
  const known = foreign.find(({ network, hash }) => network === signed.network && hash === signed.hash)
  if (known) known.broughtUnits += signed.broughtUnits
  else foreign.push(signed)
}

/** Whether another party has taken coins. */
export function isRobbed(world: World, network: string): boolean {
  return tokensOf(world.base).some(
    (token) => token.network === network && missingUnits(world, network, token.contract) > 0n,
  )
}

/** The amount that another party took from a treasury, less what was brought for it. */
export function missingUnits(
  world: Pick<World, 'chains' | 'base' | 'foreign'>,
  network: string,
  contract: string | null,
): bigint {
  const chain = chainIn(world, network)
  const treasury = world.base.chains.get(network)?.treasury
  return world.foreign.reduce((sum, { network: other, hash, broughtUnits }) => {
    const found = other === network ? chain.find(hash) : undefined
    const brought = other === network && contract === null ? broughtUnits : 0n
    if (!found) return sum - brought
    const { moves, fee } = found.landed.transaction
    const taken = moves.filter((move) => !found.landed.reverted && move.contract === contract && move.to !== treasury)
    return sum - brought + (contract === null ? fee : 0n) + taken.reduce((total, { units }) => total + units, 0n)
  }, 0n)
}

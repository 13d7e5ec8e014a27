/** The input of every operator command: the database, the actor, the arguments, and the output. */
import { type Address, type ChainAdapter, formatDecimal, type Token, tokenKey } from '@causeway/core'
import type { Config } from '../../config.ts'
import type { JournalLines } from '../../keys/journal/read.ts'
import type { OfferSources } from '../../offer/quote-service.ts'
import { type AppRow, findApp } from '../../store/apps/apps.ts'
import type { Database, Queries } from '../../store/db/database.ts'
import { countCommand } from '../../store/journal/writers.ts'
import { insertAudit } from '../../store/operators/audit.ts'
import { type Gift, givenAwayUsd, lockGivenAway, recordGivenAway } from '../../store/operators/given-away.ts'
import type { Given, Grammar } from './grammar.ts'
import type { Role } from './roles.ts'
import { UsageError } from './usage-error.ts'

export { UsageError } from './usage-error.ts'

export interface CanaryResult {
  source: string
  destination: string
  method: string
  /** `skipped`: the budget was used up. `not tried`: the canary cannot do it. */
  state: 'worked' | 'failed' | 'skipped' | 'not tried'
  route: string
  amount: string
  usd: number
  swapId: string | null
  seconds: number
  problem: string | null
}

/** Small swaps with wallets that are not the service's. */
export interface Canary {
  /** The canary's own wallets, by network. */
  wallets: ReadonlyMap<string, Address>
  budgetUsd: number
  /** Swaps from these networks, or from all if null. Names that the service does not list are refused. */
  run(options: {
    networks: readonly string[] | null
    budgetUsd: number
    /** How long one swap may take. */
    timeoutMs: number
    onResult(result: CanaryResult): Promise<void>
  }): Promise<CanaryResult[]>
}

export interface CommandContext {
  database: Database
  actor: string
  /** The actor's role; absent if it is not checked (tests). */
  role?: Role
  /** Signs the audit entry with the actor's key. */
  sign?: (text: string) => string
  now: () => Date
  /** Opens a network with the service's own settings; absent if these are not given. */
  chain?: (network: string) => Promise<ChainAdapter>
  /** The service's own settings, for commands that work on its files. */
  settings?: () => Config
  /** Prices, stored fees and balances, limits and switches; absent without the settings of the service. */
  market?: () => Promise<OfferSources>
  /** The names of all networks of these settings. */
  networks?: () => Promise<string[]>
  /** Reads the signing journal; absent without the settings of the service. */
  journal?: () => Promise<JournalLines>
  /** Makes a new signing journal for this database; returns its id. Absent without the settings of the service. */
  makeJournal?: (databaseId: string) => Promise<string>
  /** Opens the canary; absent without the settings of the service. */
  canary?: () => Promise<Canary>
  /** Called if the command found a failure: the program ends with an exit code. */
  fail?(): void
  print(line: string): void
  /** Outputs a table in another form than text lines. `total`: its last row, with sums. */
  table?(heads: string[], rows: string[][], total?: string[]): void
  /** The reason for the change, if one is required; stored with the audit entry. */
  reason?: string
  /** The current value of these base units in dollars; null if no price is known. Absent without prices. */
  worth?(network: string, token: string, units: bigint): number | null
  /** Formats an amount; in base units if absent. */
  amount?(network: string, token: string, units: bigint): string
  /** Above this many dollars, and for loosening commands, two people are needed; absent if one suffices. */
  fourEyesUsd?: number
  /** Called with the id if the command was only requested, because a second person must confirm it. */
  asked?(requestId: string): void
  /** The operator who made the request that the actor confirms. */
  askedBy?: string
  /** The dual control request that the actor confirms. */
  requestId?: string
  /** The state of the command's object when the request was made, as one text. */
  seen?: string
  /** The value that one person gives away alone. Absent if two decided, and without dual control. */
  alone?: { command: string; gifts: Gift[]; seen: string }
}

export interface Command {
  /** The usage text, after the noun. */
  usage: string
  help: string
  takes: Grammar
  run(desk: CommandContext, given: Given): Promise<void>
}

export function needed(values: Given['values'], name: string): string {
  const value = values[name]
  if (!value) throw new UsageError(`--${name} is needed`)
  return value
}

export async function appNamed(desk: CommandContext, name: string): Promise<AppRow> {
  const app = await findApp(desk.database, name)
  if (!app) throw new UsageError(`there is no app ${name}; "app list" shows those there are`)
  return app
}

/** Makes a change and writes its audit entry, both or neither. */
export async function change<T>(
  desk: CommandContext,
  action: string,
  data: Record<string, unknown>,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return desk.database.transaction().execute(async (queries) => {
    await record(desk, queries, action, data)
    return work(queries)
  })
}

/** Writes an audit entry in this transaction, and counts what one person gives away. */
export async function record(
  desk: CommandContext,
  queries: Queries,
  action: string,
  data: Record<string, unknown>,
): Promise<void> {
  await countAlone(desk, queries)
  const { actor, sign, reason, askedBy } = desk
  const said = { ...(reason === undefined ? {} : { reason }), ...(askedBy === undefined ? {} : { askedBy }) }
  await insertAudit(queries, { actor, action, data: { ...data, ...said }, sign })
  await countCommand(queries)
}

/**
 * Counts what one person gives away alone. It is checked again behind the lock: many commands at the same moment would each
 * see none of the others.
 */
async function countAlone({ alone, fourEyesUsd, actor, now }: CommandContext, queries: Queries): Promise<void> {
  if (!alone || alone.gifts.length === 0 || fourEyesUsd === undefined) return
  await lockGivenAway(queries)
  if (await isAboveWithinDay(queries, { gifts: alone.gifts, fourEyesUsd, now: now() }))
    throw new UsageError('something else was given away meanwhile, and both together need a second person: try again')
  await recordGivenAway(queries, { actor, command: alone.command, at: now(), gifts: alone.gifts })
}

/** Whether these gifts and those of the last day are above the threshold together: else one person could split a large one. */
export async function isAboveWithinDay(
  queries: Queries,
  { gifts, fourEyesUsd, now }: { gifts: readonly Gift[]; fourEyesUsd: number; now: Date },
): Promise<boolean> {
  const objects = gifts.map(({ object }) => object)
  const before = await givenAwayUsd(queries, now, objects)
  return gifts.reduce((sum, { usd }) => sum + usd, before) > fourEyesUsd
}

/** Base units, formatted as this context shows amounts. */
export function amountAt({ amount }: CommandContext, network: string, token: string, units: bigint): string {
  return amount ? amount(network, token, units) : `${units}`
}

/** An amount of a listed token, with its symbol even if this context shows base units. */
export function tokenAmount(desk: CommandContext, token: Token, units: bigint): string {
  if (!desk.amount) return `${formatDecimal(units, token.decimals)} ${token.symbol}`
  return desk.amount(token.network, tokenKey(token), units)
}

/** Prints a table with aligned columns. `total`: its last row, with sums. */
export function table(desk: CommandContext, heads: string[], rows: string[][], total?: string[]): void {
  if (desk.table) {
    desk.table(heads, rows, total)
    return
  }
  const lines = [heads, ...rows, ...(total ? [total] : [])]
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const row of lines) {
    desk.print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

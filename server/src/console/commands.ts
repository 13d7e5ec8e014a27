/**
 * Every command of the command line, over the same functions. A command is named by its noun and verb, and its options
 * are values. Tables are returned as tables, everything else as the lines that a terminal would show.
 */

import { commandFor, runCommand } from '../admin/cli/run.ts'
import { type CommandContext, UsageError } from '../admin/context/command-context.ts'
import { roleFor, roleToAsk, suffices } from '../admin/context/roles.ts'
import { chainOf } from '../catalogue/chains.ts'
import { amountsOf } from '../market/amounts.ts'
import { type Console, Refused } from './console.ts'
import { actorAt, type Session } from './login.ts'

export interface CommandRequest {
  noun: string
  verb: string
  /** Positional arguments. */
  names: string[]
  /** Options by their names. */
  values: Record<string, string>
}

export interface CommandResult {
  /** `total`: the sums of the rows, if the command adds them up. */
  tables: { heads: string[]; rows: string[][]; total?: string[] }[]
  lines: string[]
  /** Base units of the amounts in the output, by their text. */
  units: Record<string, string>
  /** The id of the request that another person must confirm, if the command was only requested. */
  asked: string | null
}

/** Runs a command that only reads. */
export async function look(house: Console, session: Session, asked: CommandRequest): Promise<CommandResult> {
  const words = wordsOf(asked, null)
  if (roleFor(asked.noun, asked.verb) !== 'viewer') throw new Refused(405, 'AN_ACT', 'This changes something: POST it.')
  return run(house, session, { asked, words, reason: null })
}

/**
 * Runs a command that changes something. Commands that loosen something, or send money on a person's decision, need a
 * recent password.
 */
export async function act(
  house: Console,
  session: Session,
  asked: CommandRequest,
  reason: string,
): Promise<CommandResult> {
  const words = wordsOf(asked, reason.trim())
  const wanted = roleFor(asked.noun, asked.verb)
  if (reason.trim() === '') throw new Refused(400, 'NO_REASON', 'Say why: it is kept with what you do.')
  const opensDoor = wanted === 'admin' || SENDS_MONEY.has(`${asked.noun} ${asked.verb}`)
  if (opensDoor && suffices(session.role, wanted) && session.freshUntil < house.now())
    throw new Refused(401, 'STALE', 'Give your password once more: this opens a door.')
  return run(house, session, { asked, words, reason: reason.trim() })
}

async function run(
  house: Console,
  session: Session,
  { asked, words, reason }: { asked: CommandRequest; words: string[]; reason: string | null },
): Promise<CommandResult> {
  const wanted = roleFor(asked.noun, asked.verb)
  if (!suffices(session.role, roleToAsk(asked.noun, asked.verb)))
    throw new Refused(403, 'ROLE', `Needs the role ${wanted}.`)
  const told: CommandResult = { tables: [], lines: [], units: {}, asked: null }
  const { fourEyesUsd } = house.config
  const { worth, written } = amountsOf(house)
  const desk: CommandContext = {
    database: house.database,
    actor: actorAt(session.name),
    role: session.role,
    now: house.now,
    chain: async (network) => chainOf(house.chains, network),
    networks: async () => house.catalogue.networks.map(({ name }) => name),
    market: async () => house,
    print: (line) => told.lines.push(line),
    table: (heads, rows, total) => told.tables.push({ heads, rows, ...(total && { total }) }),
    worth,
    amount: (network, token, units) => {
      const text = written(network, token, units)
      told.units[text] = [...new Set([...(told.units[text]?.split(' or ') ?? []), `${units}`])].join(' or ')
      return text
    },
    asked: (id) => {
      told.asked = id
    },
    ...(fourEyesUsd === undefined ? {} : { fourEyesUsd }),
    ...(reason === null ? {} : { reason }),
  }
  try {
    await runCommand(desk, words)
  } catch (error) {
    throw asRefused(error)
  }
  return told
}

function asRefused(error: unknown): unknown {
  if (!(error instanceof UsageError)) return error
  return new Refused(400, 'NOT_VALID', error.message.split('\n')[0] ?? '')
}

/** The words of the command. The rules here judge its noun and verb, so neither may be written in another place. */
function wordsOf({ noun, verb, names, values }: CommandRequest, reason: string | null): string[] {
  try {
    if (names.some((name) => name.startsWith('-'))) throw new UsageError('a name does not begin with a dash')
    const takesReason = reason !== null && REASONED.has(`${noun} ${verb}`)
    const options = Object.entries({ ...values, ...(takesReason ? { reason } : {}) })
    // One argument per value, so that a value that looks like an option stays a value. An empty one is a flag.
    const written = options.map(([name, value]) => (value === '' ? `--${name}` : `--${name}=${value}`))
    const words = [noun, ...(verb === '' ? [] : [verb]), ...names, ...written]
    const found = commandFor(words)
    if (found?.noun !== noun || found.verb !== verb) throw new UsageError('there is no such command')
    return words
  } catch (error) {
    throw asRefused(error)
  }
}

/** Commands that send money on a person's decision: a cookie alone is not enough for them. */
const SENDS_MONEY = new Set([
  'payout approve',
  'wallet withdraw',
  'wallet rotate',
  'swap refund',
  'unmatched refund',
  'unmatched assign',
  'request confirm',
])

/** Commands that have their own field for the reason. */
const REASONED = new Set(['switch pause', 'wallet halt', 'campaign pause'])

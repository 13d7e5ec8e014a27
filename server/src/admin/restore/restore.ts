/** `restore`: after the database went back in time. The signing journal is replayed, and then signing goes on. */
import { RetryLater } from '@causeway/core'
import type { JournalLines } from '../../keys/journal/read.ts'
import { askToResume, newestAttempt, readJournalRow } from '../../store/journal/journal-row.ts'
import { networksWithOpenSlots } from '../../store/restore/recorded.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  parseArguments,
  table,
  UsageError,
} from '../context/command-context.ts'
import { addressCount, branchesFor, watchAddresses } from './addresses.ts'
import { replay, summarise } from './replay.ts'

/** Of each branch. A watched address costs a row. */
const WATCHED_ADDRESSES = '1000'

export const restoreCommands: Record<string, Command> = {
  '': {
    usage: '',
    help: 'Shows what the signing journal has and the database lacks. Changes nothing. Needs the environment of the service.',
    run: show,
  },
  '--apply': {
    usage: '--apply [--watch N] [--branches N,…]',
    help: `Stores what the journal has and the database lacks, and watches addresses that may have been given out since the backup (the
      next ${WATCHED_ADDRESSES} of the newest branches, and of those that --branches names). It may be repeated. Signing stays stopped.`,
    run: apply,
  },
  '--resume': {
    usage: '--resume [--without NETWORK,…]',
    help: `Lets the service sign again, once the whole journal is stored. --without names each network that has open transactions and is
      not configured: they stay open until it is.`,
    run: resume,
  },
}

async function journalOf({ journal }: CommandContext): Promise<JournalLines> {
  if (!journal) throw new UsageError('this needs the settings of the service: its journal, networks, nodes and signer')
  return journal()
}

async function stateOf({ database }: CommandContext): Promise<string> {
  return (await readJournalRow(database))?.state ?? 'no journal'
}

async function show(desk: CommandContext, words: string[]): Promise<void> {
  parseArguments(words, [])
  const journal = await journalOf(desk)
  desk.print(`signing: ${await stateOf(desk)}; the journal ends at line ${journal.head().n}`)
  const missing = await summarise(desk.database, journal)
  if (missing.length === 0) return desk.print('the database has everything that the journal has')
  const configured = await desk.networks?.()
  table(
    desk,
    ['network', 'lines', 'unknown payouts', 'unknown swaps', 'settled deposits', 'amounts', 'wallets', 'first', 'last'],
    missing.map((row) => [
      configured?.includes(row.network) === false ? `${row.network} (not configured)` : row.network,
      ...[row.lines, row.payouts, row.swaps, row.deposits].map(String),
      [...row.units].map(([token, units]) => `${amountAt(desk, row.network, token, units)} ${token}`).join(', '),
      row.accounts.join(' '),
      row.first,
      row.last,
    ]),
  )
  desk.print('"restore --apply" stores them')
}

async function apply(desk: CommandContext, words: string[]): Promise<void> {
  const { values } = parseArguments(words, ['watch', 'branches'])
  const count = addressCount(values.watch ?? WATCHED_ADDRESSES)
  const journal = await journalOf(desk)
  // While the service signs, a line without an attempt is one that it is about to store.
  if ((await stateOf(desk)) === 'running') throw new UsageError('signing is not stopped: there is nothing to restore')
  const branches = await branchesFor(desk, values.branches ?? '')
  await change(desk, 'restore applied', { head: journal.head().n, branches }, async () => undefined)
  desk.print(`${await replay(desk.database, journal, desk.now)} lines stored`)
  const failed: string[] = []
  for (const network of (await desk.networks?.()) ?? []) {
    try {
      const chain = await desk.chain?.(network)
      if (chain) desk.print(`${network}: ${await watchAddresses(desk, chain, branches, count)} addresses added`)
    } catch (error) {
      if (!(error instanceof RetryLater)) throw error
      failed.push(network)
      desk.print(`${network}: NOT DONE: ${error.message}`)
    }
  }
  if (failed.length > 0) throw new UsageError(`run it again for the addresses of ${failed.join(', ')}`)
}

async function resume(desk: CommandContext, words: string[]): Promise<void> {
  const { values } = parseArguments(words, ['without'])
  const without = (values.without ?? '').split(',').filter(Boolean)
  const journal = await journalOf(desk)
  await requireWhole(desk, journal)
  const configured = (await desk.networks?.()) ?? []
  const open = (await networksWithOpenSlots(desk.database)).filter((name) => !configured.includes(name))
  const unnamed = open.filter((name) => !without.includes(name))
  if (unnamed.length > 0)
    throw new UsageError(
      `not configured, with open transactions: ${unnamed.join(', ')}. Configure them, or name them with --without`,
    )
  await change(desk, 'signing resumed', { without }, async (queries) => {
    if (!(await askToResume(queries, desk.actor))) throw new UsageError('signing is not stopped')
  })
  desk.print('signing goes on as soon as the signing process has seen it')
}

/** Everything of the journal is stored, and the journal is not the older one of the two. */
async function requireWhole({ database }: CommandContext, journal: JournalLines): Promise<void> {
  const lines = (await summarise(database, journal)).reduce((sum, row) => sum + row.lines, 0)
  if (lines > 0) throw new UsageError(`${lines} lines of the journal are not stored: run "restore --apply" first`)
  const newest = await newestAttempt(database)
  if (!newest) return
  for (const entry of journal.after(newest.n - 1)) if (entry.hash === newest.hash) return
  throw new UsageError('the journal is older than the database: put the newest one back')
}

/** `restore`: after a rollback of the database, replays the signing journal and then lets signing continue. */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import type { JournalLines } from '../../keys/journal/read.ts'
import { rememberBeginning } from '../../market/history.ts'
import { askToResume, newestAttempt, readJournalRow, setJournalState } from '../../store/journal/journal-row.ts'
import { secondsUntilSilent } from '../../store/journal/writers.ts'
import { beginWithoutJournal, countSweepsFrom, scannedNetworks } from '../../store/restore/barrier.ts'
import { networksWithOpenSlots } from '../../store/restore/recorded-payouts.ts'
import { amountAt, type Command, type CommandContext, change, table, UsageError } from '../context/command-context.ts'
import { FILE, NETWORKS, NUMBER, NUMBERS, optional } from '../context/forms.ts'
import type { Given } from '../context/grammar.ts'
import { addressCount, branchesFor, watchAddresses } from './addresses.ts'
import { exportDecisions, importDecisions } from './bulk.ts'
import { replay, summarise } from './replay.ts'

/** How many deposit addresses are watched on each derivation branch, unless `--watch` says otherwise. Each is a row. */
const WATCHED_ADDRESSES = '1000'

export const restoreCommands: Record<string, Command> = {
  '': {
    usage: '',
    help: 'Shows what the signing journal has and the database lacks. Changes nothing. Needs the environment of the service.',
    takes: {},
    run: show,
  },
  '--apply': {
    usage: '--apply [--watch N] [--branches N,…]',
    help: `Stores what the journal has and the database lacks, and watches addresses that may have been given out since the backup (the
      next ${WATCHED_ADDRESSES} of the newest branches, of those in the journal, and of those that --branches names). It may be repeated. Signing stays stopped.`,
    takes: { options: { watch: optional(NUMBER), branches: optional(NUMBERS) } },
    run: apply,
  },
  '--resume': {
    usage: '--resume [--without NETWORK,…]',
    help: `Lets the service sign again, once the whole journal is stored. --without names each network that has open transactions and is
      not configured: they stay open until it is.`,
    takes: { options: { without: optional(NETWORKS) } },
    run: resume,
  },
  '--without-journal': {
    usage: '--without-journal',
    help: `The journal is lost for good: makes a new one, and holds every payout of the swaps and deposits of until now. They wait for
      "restore export" and "restore import". The service must be stopped. Move what is left of the old journal away first.`,
    takes: {},
    run: withoutJournal,
  },
  export: {
    usage: 'export FILE',
    help: 'Writes a file with every payout that is held after a restore, and with every transaction of our wallets that the ledger lacks.',
    takes: { names: [FILE] },
    run: async (desk, { names: [file = ''] }) => exportDecisions(desk, file),
  },
  import: {
    usage: 'import FILE',
    help: 'Reads the file back, with a decision about each payout: "paid HASH" or "unpaid". Stores all of them, or none.',
    takes: { names: [FILE] },
    run: async (desk, { names: [file = ''] }) => importDecisions(desk, file),
  },
}

/** The journal of this database, and of no other: line numbers of two journals are the same. */
async function journalOf({ journal, database }: CommandContext): Promise<JournalLines> {
  if (!journal) throw new UsageError('this needs the settings of the service: its journal, networks, nodes and signer')
  const lines = await journal()
  const row = await readJournalRow(database)
  if (row?.id !== lines.id)
    throw new UsageError('this signing journal belongs to another database: check DATABASE_URL and JOURNAL_FOLDER')
  return lines
}

async function stateOf({ database }: CommandContext): Promise<string> {
  return (await readJournalRow(database))?.state ?? 'no journal'
}

async function show(desk: CommandContext): Promise<void> {
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

async function apply(desk: CommandContext, { values }: Given): Promise<void> {
  const count = addressCount(values.watch ?? WATCHED_ADDRESSES)
  const journal = await journalOf(desk)
  // While the service is running, a journal line without an attempt is one that it is about to store.
  const isRunning = (await stateOf(desk)) === 'running'
  const seconds = isRunning ? await secondsUntilSilent(desk.database) : 0
  if (seconds > 0)
    throw new UsageError(
      `signing is not stopped, and a process counts as running. If you have just put a backup back and none runs, try again in ${seconds} seconds; else there is nothing to restore`,
    )
  const branches = await branchesFor(desk, journal, values.branches ?? '')
  await change(desk, 'restore applied', { head: journal.head().n, branches }, async (queries) => {
    await countSweepsFrom(queries, await scannedNetworks(queries))
    if (isRunning) await setJournalState(queries, 'rolled_back')
  })
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

async function resume(desk: CommandContext, { values }: Given): Promise<void> {
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
    if (!(await askToResume(queries, desk.actor, journal.head().n))) throw new UsageError('signing is not stopped')
  })
  desk.print('signing goes on as soon as the signing process has seen it')
}

/**
 * How often the head is read: nodes of different heights may share one address, and the newest may have seen a payment.
 */
const LOOKS = 8

async function withoutJournal(desk: CommandContext): Promise<void> {
  const { database, makeJournal } = desk
  const row = await readJournalRow(database)
  if (!row || !makeJournal)
    throw new UsageError('this needs the settings of the service, and a database that had a journal')
  const configured = (await desk.networks?.()) ?? []
  const barriers: Parameters<typeof beginWithoutJournal>[2][number][] = []
  for (const network of new Set([...configured, ...(await scannedNetworks(database))])) {
    const chain = configured.includes(network) ? await desk.chain?.(network) : undefined
    const head = chain ? await newestHead(chain) : null
    const block = chain && head !== null ? head + BigInt(chain.network.finalDepth) : null
    const from = chain ? await rememberBeginning(database, chain) : null
    barriers.push({ network, block, from_block: from })
    desk.print(`${network}: ${block === null ? 'NOT READ: all of its deposits are held' : `held up to block ${block}`}`)
  }
  const id = await makeJournal(row.database_id)
  await change(desk, 'restored without the journal', { id }, (queries) =>
    beginWithoutJournal(queries, id, barriers, desk.now()),
  )
  desk.print(
    'a new journal is made: start the service, run "restore --apply" (addresses) and "restore --resume", then "restore export"',
  )
}

async function newestHead(chain: ChainAdapter): Promise<bigint | null> {
  let newest: bigint | null = null
  for (let looks = 0; looks < LOOKS; looks++) {
    const block = await chain.balances([]).then(
      (found) => found.block,
      () => null,
    )
    if (block && (newest === null || block.number > newest)) newest = block.number
  }
  return newest
}

/** Throws unless every journal line is stored and the journal is not older than the database. */
async function requireWhole({ database }: CommandContext, journal: JournalLines): Promise<void> {
  const lines = (await summarise(database, journal)).reduce((sum, row) => sum + row.lines, 0)
  if (lines > 0) throw new UsageError(`${lines} lines of the journal are not stored: run "restore --apply" first`)
  const newest = await newestAttempt(database)
  if (!newest) return
  for (const entry of journal.after(newest.n - 1)) if (entry.hash === newest.hash) return
  throw new UsageError('the journal is older than the database: put the newest one back')
}

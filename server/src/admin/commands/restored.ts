/**
 * `restored`: run after the database was restored from a backup; and the operator's decisions on unknown transactions.
 */
import { RetryLater } from '@causeway/core'
import type { Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { askToResume } from '../../store/journal/journal-row.ts'
import { setSwitch } from '../../store/limits/safeguards.ts'
import { listHeld } from '../../store/payouts/holds.ts'
import { readOrigins } from '../../store/payouts/payouts.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import {
  beginRestoration,
  doubtfulPayouts,
  listMovements,
  listRestored,
  lockRestored,
  newestOrdinal,
  payoutsOfSlot,
  reviewRestored,
  settlesAt,
  unexplainedBy,
  unreadNetworks,
} from '../../store/restore/restored.ts'
import {
  forgetUnpaid,
  isSaidUnpaid,
  lockPayout,
  markPaid,
  markUnpaid,
  partFor,
  unitsSaid,
} from '../../store/restore/words.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { newestBranches, rememberBranches } from '../../store/watch/address-branch.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  parseArguments,
  table,
  UsageError,
} from '../context/command-context.ts'
import { holdDoubtful, restoreNetwork } from '../restore/restore-network.ts'

const MOST = 1_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Addresses per branch. Each watched address costs one row. */
const WATCHED_ADDRESSES = '1000'
const MOST_ADDRESSES = 1_000_000
/** Processes that ran when the backup was made: more than ever run at once. */
const NEWEST_BRANCHES = 5
/** Branches are hardened in derivation paths. */
const MAX_BRANCH = 2 ** 31 - 1
const REASON = 'the database was restored: review "restored list", then resume'
const SAID_BEFORE = ', as was said before'

export const restoredCommands: Record<string, Command> = {
  '': {
    usage: '[--watch N] [--branches N,…] [--from NETWORK=BLOCK,…]',
    help: `Run it once after restoring a backup, before anything is resumed. Pauses everything, watches addresses that
      may have been given out since the backup (the next ${WATCHED_ADDRESSES} of each of the last ${NEWEST_BRANCHES} branches, and of those that --branches names), and books
      what our wallets sent that the books do not know. Needs the environment of the service.`,
    run: restore,
  },
  list: {
    usage: 'list',
    help: 'Lists transactions of our wallets that are not in the ledger, and payouts that they may have made.',
    run: list,
  },
  paid: {
    usage: 'paid --payout ID --transaction HASH',
    help: `That transaction made that payout: it is not sent from here on, and counts as made. One that made several is said of each,
      whatever the amounts add up to: what was ordered anew may be for more or less than what was sent.`,
    run: paid,
  },
  unpaid: {
    usage: 'unpaid --payout ID [--despite HASH,…]',
    help: `None of the transactions made that payout, nor paid its swap in another way: it is sent as soon as nothing else holds it. Where
      a transaction that no payout explains left a network of the swap, --despite names it; and that one which was said to have made it,
      also where it counts as made already.`,
    run: unpaid,
  },
  resume: {
    usage: 'resume',
    help: `Signing was stopped because the database or the journal went back in time: it goes on within seconds. Run "restored" first,
      and review its list. What the journal shows as paid for by payouts that the database has lost stays held.`,
    async run(desk, words) {
      parseArguments(words, [])
      await change(desk, 'signing resumed', {}, async (queries) => {
        if (!(await askToResume(queries, desk.actor))) throw new UsageError('signing is not stopped')
      })
      desk.print('signing goes on as soon as the signing process has seen it')
    },
  },
  accept: {
    usage: 'accept --transaction HASH',
    help: `That transaction made no payout that the books know, or all of them are recognised. It stays booked as "restored". No payout
      is sent for it: each that may have been made before waits for a word of its own.`,
    async run(desk, words) {
      const txHash = needed(parseArguments(words, ['transaction']).values, 'transaction')
      await change(desk, 'restored transaction accepted', { txHash }, async (queries) => {
        const rows = (await lockRestored(queries, txHash)).filter(({ reviewed_at }) => reviewed_at === null)
        if (rows.length === 0) throw new UsageError(`${txHash} does not wait for a review`)
        for (const row of rows) {
          const [open] = await doubtfulPayouts(queries, await payoutsOfSlot(queries, row), desk.now())
          if (open)
            throw new UsageError(
              `it used the slot of the payout ${open}: say "restored paid" or "unpaid" of that first`,
            )
        }
        const ids = rows.map(({ id }) => id)
        await reviewRestored(queries, ids, desk.actor, desk.now())
      })
      desk.print(`${txHash} is off the list`)
    },
  },
}

async function restore(desk: CommandContext, words: string[]): Promise<void> {
  const { values } = parseArguments(words, ['watch', 'branches', 'from'])
  const watched = countOf(values.watch ?? WATCHED_ADDRESSES, 'watch', MOST_ADDRESSES)
  const named = branchesIn(values.branches ?? '')
  if (!desk.chain || !desk.networks)
    throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
  const networks = await desk.networks()
  const beginnings = beginningsIn(values.from ?? '', networks)
  const branches = [...new Set([...named, ...(await branchesOf(desk))])]
  const told = { watched, branches, from: values.from ?? null }
  await change(desk, 'restored', told, async (queries) => {
    await setSwitch(queries, {
      scope: 'service',
      stops_swaps: true,
      stops_payouts: true,
      code: 'restored',
      reason: REASON,
    })
    await beginRestoration(queries, networks, { at: desk.now(), ordinalsTo: await newestOrdinal(queries) })
  })
  desk.print('everything is paused')
  const failed: string[] = []
  for (const network of networks) {
    try {
      const chain = await desk.chain(network)
      const found = await restoreNetwork(desk, chain, { watched, branches }, beginnings.get(network) ?? null)
      desk.print(
        `${network}: ${found.transactions} transactions that the books did not know, ${found.watched} addresses added`,
      )
    } catch (error) {
      if (!(error instanceof UsageError) && !(error instanceof RetryLater)) throw error
      failed.push(network)
      desk.print(`${network}: NOT DONE: ${error.message}`)
    }
  }
  for (const network of await unreadNetworks(desk.database)) {
    if (!networks.includes(network))
      desk.print(`${network}: not read, as it has no node here; until it is, whatever came there waits`)
  }
  desk.print(`${await holdDoubtful(desk, networks)} payouts are held; "restored list" shows all of it`)
  if (failed.length === 0) await rememberBranches(desk.database, named, desk.now())
  else throw new UsageError(`run it again for ${failed.join(', ')} before you resume anything`)
}

/** The branches of the backup's last processes; branch 0 if the backup is from before there were branches. */
async function branchesOf({ database }: CommandContext): Promise<number[]> {
  const newest = await newestBranches(database, NEWEST_BRANCHES)
  return newest.length > 0 ? newest : [0]
}

/** Branches that were opened after the backup, as the log has them. */
function branchesIn(text: string): number[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((one) => countOf(one.trim(), 'branches', MAX_BRANCH))
}

/** The block from which a network is scanned that the backup does not contain. */
function beginningsIn(text: string, networks: readonly string[]): Map<string, bigint> {
  const said = text.split(',').filter(Boolean)
  return new Map(
    said.map((one) => {
      const [, network = '', block = ''] = /^(\w+)=(\d{1,18})$/.exec(one.trim()) ?? []
      if (!networks.includes(network))
        throw new UsageError(`--from names a network and a block, like ${networks[0]}=123456; ${one} does not`)
      return [network, BigInt(block)]
    }),
  )
}

/** Stored at once, under the lock that a slot allocation needs: from then on the service does not pay it. */
async function paid(desk: CommandContext, words: string[]): Promise<void> {
  const { values } = parseArguments(words, ['payout', 'transaction'])
  const [id, named] = [needed(values, 'payout'), needed(values, 'transaction')]
  const told = await change(desk, 'restored payout paid', { payout: id, txHash: named }, async (queries) => {
    const payout = await reviewed(desk, queries, id, named)
    const row = partFor(await lockRestored(queries, named), payout)
    if (!row)
      throw new UsageError(
        `${named} sent nothing of that token, as far as "restored" has read: look again what made it`,
      )
    if (payout.state === 'confirmed') {
      await forgetUnpaid(queries, id)
      return SAID_BEFORE
    }
    if (payout.started || (await liveSlot(queries, id)))
      throw new UsageError('its slot is not settled yet: the service must see first that it is used up')
    await markPaid(queries, id, row.tx_hash)
    const lane = laneOf(payout.network, payout.account)
    await addJob(queries, { task: 'countAsPaid', payload: { payoutId: id, txHash: row.tx_hash }, lane })
    if (payout.made_in === row.tx_hash) return SAID_BEFORE
    const said = await unitsSaid(queries, row)
    if (said <= row.units) return ''
    const [all, sent] = [said, row.units].map((units) => amountAt(desk, row.network, row.token, units))
    return `; with this it is said to have sent ${all}, and it sent ${sent}: that is right only where a payout was ordered anew for more`
  })
  desk.print(`${id} counts as made by ${named}${told}`)
}

async function unpaid(desk: CommandContext, words: string[]): Promise<void> {
  const { values } = parseArguments(words, ['payout', 'despite'])
  const id = needed(values, 'payout')
  const told = await change(desk, 'restored payout unpaid', { payout: id }, async (queries) => {
    const payout = await reviewed(desk, queries, id, null)
    await refusePerhapsPaid(desk, queries, payout, values.despite ?? '')
    const lane = laneOf(payout.network, payout.account)
    await markUnpaid(queries, id, desk.actor, desk.now())
    if (payout.state === 'confirmed' && payout.made_in !== null) {
      await addJob(queries, { task: 'takeBackPaid', payload: { payoutId: id, txHash: payout.made_in }, lane })
      return 'counted as made: that is taken back, and it is sent'
    }
    await addJob(queries, { task: 'pay', payload: { payoutId: id }, lane })
    return 'may be sent'
  })
  desk.print(`${id} ${told}`)
}

async function list(desk: CommandContext, words: string[]): Promise<void> {
  parseArguments(words, [])
  const held = await listHeld(desk.database, MOST)
  const ids = held.map(({ id }) => id)
  const waiting = await doubtfulPayouts(desk.database, ids, desk.now())
  const unreviewed = await listRestored(desk.database, MOST)
  // A transaction that was reviewed, or attributed to other payouts, may still have made a payout that is in doubt.
  const all = waiting.size > 0 ? await listMovements(desk.database, MOST) : []
  const found = [...unreviewed, ...all.filter(({ reviewed_at }) => reviewed_at !== null)]
  if (found.length === 0) desk.print('no transaction waits for a review')
  else
    table(
      desk,
      ['transaction', 'network', 'block', 'token', 'units', 'not recognised', 'accepted by', 'payouts of its slot'],
      await Promise.all(
        found.map(async (row) => [
          row.tx_hash,
          row.network,
          `${row.block_number}`,
          row.token,
          amountAt(desk, row.network, row.token, row.units),
          amountAt(desk, row.network, row.token, row.units - row.explained_units),
          row.reviewed_by ?? '',
          (await payoutsOfSlot(desk.database, row)).join(' '),
        ]),
      ),
    )
  if (waiting.size === 0) return desk.print('no payout waits for a review')
  table(
    desk,
    ['payout', 'swap', 'kind', 'network', 'token', 'units', 'to', 'said to be made by'],
    held
      .filter(({ id }) => waiting.has(id))
      .map((row) => [
        row.id,
        row.swap_id ?? '',
        row.kind,
        row.network,
        row.token,
        amountAt(desk, row.network, row.token, row.units),
        row.to_address,
        row.made_in ?? '',
      ]),
  )
}

/**
 * Locked. Naming the transaction that made it may also revoke an earlier "unpaid" while nothing was sent, and repeat an
 * earlier decision.
 */
async function reviewed(
  { now }: CommandContext,
  queries: Queries,
  id: string,
  madeIn: string | null,
): Promise<PayoutRow> {
  const payout = UUID.test(id) ? await lockPayout(queries, id) : null
  if (payout?.state === 'open') {
    if ((await doubtfulPayouts(queries, [id], now())).has(id)) return payout
    if (madeIn !== null && (await isSaidUnpaid(queries, id))) return payout
  }
  const isDone = payout?.state === 'confirmed' && payout.made_in !== null
  if (isDone && (madeIn === null || payout.made_in?.toLowerCase() === madeIn.toLowerCase())) return payout
  if (isDone) throw new UsageError(`the payout ${id} counts as made by ${payout.made_in} already`)
  throw new UsageError(`the payout ${id} does not wait for a review; see "restored list"`)
}

/**
 * A transaction of the restore gap may still land, or may have paid for the same purpose where this payout would not
 * find it.
 */
async function refusePerhapsPaid(
  desk: CommandContext,
  queries: Queries,
  payout: PayoutRow,
  despite: string,
): Promise<void> {
  const named = new Set(despite.toLowerCase().split(','))
  if (payout.made_in !== null && !named.has(payout.made_in.toLowerCase()))
    throw new UsageError(`it is marked as made by ${payout.made_in}; if it was not, say --despite ${payout.made_in}`)
  const swap = (await readOrigins(queries, [payout])).get(payout.id)
  const sides = swap ? [swap.source, swap.destination] : null
  // A payout without a swap may have been paid by any transaction.
  const until = await settlesAt(queries, sides && [payout.network, ...sides.map(([network]) => network)])
  if (until && until > desk.now())
    throw new UsageError(`what was sent before may still land until ${until.toISOString()}: look again after that`)
  // A rejected payout may be released.
  if (payout.rejected_at) return
  const found = (await unexplainedBy(queries, sides)).filter(
    ({ network, token }) => network !== payout.network || token !== payout.token,
  )
  const hashes = [...new Set(found.map(({ tx_hash }) => tx_hash))]
  if (hashes.every((hash) => named.has(hash.toLowerCase()))) return
  throw new UsageError(
    `this was perhaps paid for in another way: no payout explains ${hashes.join(', ')}. If one of them did, say "payout reject" first; ` +
      `if none did, say --despite ${hashes.join(',')}`,
  )
}

function countOf(text: string, name: string, most: number): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(count >= 1 && count <= most)) throw new UsageError(`--${name} is a number from 1 to ${most}`)
  return count
}

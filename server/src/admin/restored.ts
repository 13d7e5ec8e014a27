/** `restored`: said after the database was restored from a backup; and a person's word on what was found on chain. */
import { RetryLater } from '@causeway/core'
import { addJob, laneOf } from '../store/jobs.ts'
import { listHeld, readOrigins, readPayout } from '../store/payouts.ts'
import {
  beginRestoration,
  doubtfulPayouts,
  listRestored,
  listUnexplained,
  lockRestored,
  markUnpaid,
  payoutsOfSlot,
  reviewRestored,
  settlesAt,
  skipSequences,
  unexplainedBy,
} from '../store/restored.ts'
import { setSwitch } from '../store/safeguards.ts'
import type { PayoutRow } from '../store/swaps.ts'
import { amountAt, type Command, change, type Desk, needed, parseWords, table, UsageError } from './desk.ts'
import { holdDoubtful, restoreNetwork } from './restoring.ts'

const MOST = 1_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** More than a service makes in days; numbers are plenty. */
const SKIPPED_NUMBERS = '1000000'
/** Watched ones cost a row each; those beyond are only left out. */
const WATCHED_ADDRESSES = '1000'
const SKIPPED_ADDRESSES = '100000'
/** Of the two thousand million that can be derived. */
const MOST_ADDRESSES = 10_000_000
const REASON = 'the database was restored: review "restored list", then resume'

export const restoredCommands: Record<string, Command> = {
  '': {
    usage: '[--numbers N] [--watch N] [--addresses N]',
    help: `Run it once after restoring a backup, before anything is resumed. Pauses everything, leaves out numbers and addresses that
      may have been given out since the backup (${SKIPPED_NUMBERS} and ${SKIPPED_ADDRESSES}, of which the first ${WATCHED_ADDRESSES} are watched for deposits), and books
      what our wallets sent that the books do not know. Needs the environment of the service.`,
    run: restore,
  },
  list: {
    usage: 'list',
    help: 'Lists transactions of our wallets that the books did not know, and payouts that they may have made.',
    run: list,
  },
  paid: {
    usage: 'paid --payout ID --transaction HASH',
    help: 'That transaction made that payout: it counts as made and is never sent again.',
    async run(desk, words) {
      const { values } = parseWords(words, ['payout', 'transaction'])
      const payout = await doubtful(desk, needed(values, 'payout'))
      const txHash = needed(values, 'transaction')
      const rows = await lockRestored(desk.database, txHash)
      const isCovered = rows.some(
        ({ network, token, units, explained_units }) =>
          network === payout.network && token === payout.token && units > explained_units,
      )
      if (!isCovered) throw new UsageError(`${txHash} sent nothing of that token that is not recognised yet`)
      if (payout.started)
        throw new UsageError('its slot is not settled yet: the service must see first that it is used up')
      const lane = laneOf(payout.network, payout.account)
      await change(desk, 'restored payout paid', { payout: payout.id, txHash }, (queries) =>
        addJob(queries, { task: 'countAsPaid', payload: { payoutId: payout.id, txHash }, lane }),
      )
      desk.print(`${payout.id} counts as made by ${txHash}`)
    },
  },
  unpaid: {
    usage: 'unpaid --payout ID [--despite HASH,…]',
    help: `None of the transactions made that payout, nor paid its swap in another way: it is sent as soon as nothing else holds it. Where
      a transaction that no payout explains left a network of the swap, --despite names it.`,
    async run(desk, words) {
      const { values } = parseWords(words, ['payout', 'despite'])
      const payout = await doubtful(desk, needed(values, 'payout'))
      await refusePerhapsPaid(desk, payout, values.despite ?? '')
      await change(desk, 'restored payout unpaid', { payout: payout.id }, async (queries) => {
        await markUnpaid(queries, payout.id, desk.actor, desk.now())
        const lane = laneOf(payout.network, payout.account)
        await addJob(queries, { task: 'pay', payload: { payoutId: payout.id }, lane })
      })
      desk.print(`${payout.id} may be sent`)
    },
  },
  accept: {
    usage: 'accept --transaction HASH',
    help: `That transaction made no payout that the books know, or all of them are recognised. It stays booked as "restored". No payout
      is sent for it: each that may have been made before waits for a word of its own.`,
    async run(desk, words) {
      const txHash = needed(parseWords(words, ['transaction']).values, 'transaction')
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

async function restore(desk: Desk, words: string[]): Promise<void> {
  const { values } = parseWords(words, ['numbers', 'watch', 'addresses'])
  const numbers = BigInt(countOf(values.numbers ?? SKIPPED_NUMBERS, 'numbers', Number.MAX_SAFE_INTEGER / 1000))
  const watched = countOf(values.watch ?? WATCHED_ADDRESSES, 'watch', MOST_ADDRESSES)
  const skipped = countOf(values.addresses ?? SKIPPED_ADDRESSES, 'addresses', MOST_ADDRESSES)
  if (!desk.chain || !desk.networks)
    throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
  const networks = await desk.networks()
  const last = await change(desk, 'restored', { numbers: `${numbers}`, watched, skipped }, async (queries) => {
    await setSwitch(queries, { scope: 'service', stops_swaps: true, stops_payouts: true, reason: REASON })
    await beginRestoration(queries, networks, desk.now())
    return skipSequences(queries, numbers)
  })
  desk.print(`everything is paused; the next swap has the number ${last + 1n}`)
  const failed: string[] = []
  for (const network of networks) {
    try {
      const found = await restoreNetwork(desk, await desk.chain(network), { watched, skipped })
      desk.print(
        `${network}: ${found.transactions} transactions that the books did not know, ${found.watched} addresses added`,
      )
    } catch (error) {
      if (!(error instanceof UsageError) && !(error instanceof RetryLater)) throw error
      failed.push(network)
      desk.print(`${network}: NOT DONE: ${error.message}`)
    }
  }
  desk.print(`${await holdDoubtful(desk, networks)} payouts are held; "restored list" shows all of it`)
  if (failed.length > 0) throw new UsageError(`run it again for ${failed.join(', ')} before you resume anything`)
}

async function list(desk: Desk, words: string[]): Promise<void> {
  parseWords(words, [])
  const held = await listHeld(desk.database, MOST)
  const ids = held.map(({ id }) => id)
  const waiting = await doubtfulPayouts(desk.database, ids, desk.now())
  const unreviewed = await listRestored(desk.database, MOST)
  // What is off the list may have made a payout that is in doubt all the same.
  const reviewed = waiting.size > 0 ? await listUnexplained(desk.database, MOST) : []
  const found = [...unreviewed, ...reviewed.filter(({ reviewed_at }) => reviewed_at !== null)]
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
    ['payout', 'swap', 'kind', 'network', 'token', 'units', 'to'],
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
      ]),
  )
}

async function doubtful({ database, now }: Desk, id: string): Promise<PayoutRow> {
  const payout = UUID.test(id) ? await readPayout(database, id) : null
  const isDoubtful = payout?.state === 'open' && (await doubtfulPayouts(database, [id], now())).has(id)
  if (!payout || !isDoubtful) throw new UsageError(`the payout ${id} does not wait for a review; see "restored list"`)
  return payout
}

/** What was sent in the forgotten time may still land, or have paid for the same thing where this payout would not look for it. */
async function refusePerhapsPaid(desk: Desk, payout: PayoutRow, despite: string): Promise<void> {
  const swap = (await readOrigins(desk.database, [payout])).get(payout.id)
  const sides = swap ? [swap.source, swap.destination] : null
  // What belongs to no swap may have been paid for anywhere.
  const until = await settlesAt(desk.database, sides && [payout.network, ...sides.map(([network]) => network)])
  if (until && until > desk.now())
    throw new UsageError(`what was sent before may still land until ${until.toISOString()}: look again after that`)
  // What is not to be sent at all may be let go.
  if (payout.rejected_at) return
  const named = new Set(despite.toLowerCase().split(','))
  const found = (await unexplainedBy(desk.database, sides)).filter(
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

/**
 * What every periodic query, and one swap's whole way, costs with a thousand stored swaps and with a million
 * (`BENCH_SWAPS`), and then with ten thousand payouts held, addresses with dust and deposits lost. Each should stay within
 * 1.3 times: what does not grows with the years.
 */
import { capitalMoved, tokenKey } from '@causeway/core'
import pg from 'pg'
import { createHousekeeper } from '../../server/src/flow/keephouse.ts'
import { reconcile } from '../../server/src/flow/reconcile.ts'
import { sweepAddresses } from '../../server/src/flow/sweep.ts'
import { readRules } from '../../server/src/market/safeguards.ts'
import { foldLedger, ledgerUnits, nextHolders, provePostings, unitsAt } from '../../server/src/store/balances.ts'
import { finalise, findGone, findRipe, findWaiting } from '../../server/src/store/deposits.ts'
import { unsettledUnits } from '../../server/src/store/ledger.ts'
import { forgottenPayouts, promisedSince } from '../../server/src/store/payouts.ts'
import { insertPosting } from '../../server/src/store/progress.ts'
import { completionTimes, promisedByToken } from '../../server/src/store/reading.ts'
import { outflowSince } from '../../server/src/store/safeguards.ts'
import { openSlots } from '../../server/src/store/slotrecords.ts'
import { takenSlots } from '../../server/src/store/slots.ts'
import { takeRestless } from '../../server/src/store/swaps.ts'
import { findUnswept } from '../../server/src/store/sweeps.ts'
import { startDatabase } from '../support/database.ts'
import { type Hand, startHand } from '../support/hand.ts'
import { fillHistory, fillTrouble } from './filling.ts'

const FEW = 1_000
const MANY = Number(process.env.BENCH_SWAPS ?? 1_000_000)
const TROUBLE = 10_000
const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6
/** The best of so many runs is what counts: whatever else the machine does only ever adds to it. */
const RUNS = Number(process.env.BENCH_RUNS ?? 15)
/** Whole tokens, enough for all that is promised and held. */
const INVENTORY = 10n ** 9n
const GOAL = 1.3
const HOUR_MS = 3_600_000

export async function growth(): Promise<void> {
  const database = await startDatabase()
  const hand = await startHand(database.url)
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  pool.on('error', () => undefined)
  try {
    for (const { tokens } of hand.services.catalogue.networks) {
      for (const token of tokens) hand.services.fund(token, INVENTORY)
    }
    const first = await travel(hand)
    await hand.services.database.updateTable('swap').set({ app_name: 'growth' }).where('id', '=', first).execute()
    const costs = new Map<string, number>()
    for (const count of [FEW, MANY]) {
      await fillHistory(pool, first, count)
      await measure(hand, pool, `with ${count.toLocaleString('en')} swaps`, costs)
    }
    await fillTrouble(pool, first, TROUBLE)
    await measure(hand, pool, `and ${TROUBLE.toLocaleString('en')} held, dust and lost each`, costs)
  } finally {
    await pool.end()
    await hand.stop()
    await database.stop()
  }
}

/** One swap's whole way; answers its id. */
async function travel(hand: Hand): Promise<string> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  hand.chain(TO).mine(FINAL)
  await hand.watch(TO)
  hand.chain(FROM).mine(FINAL)
  await hand.watch(FROM)
  return swap.view.swap.id
}

/** The copies moved no coins: what the books of the wallets say beside the chain is taken out as capital. */
async function matchBooks({ services }: Hand): Promise<void> {
  for (const { treasury, network, balance } of services.chains.values()) {
    for (const token of network.tokens) {
      const { units } = await balance(treasury, token)
      const difference = units - (await ledgerUnits(services.database, treasury, token))
      await insertPosting(services.database, capitalMoved(treasury, token, difference), null)
    }
  }
}

async function measure(hand: Hand, pool: pg.Pool, title: string, before: Map<string, number>): Promise<void> {
  console.log(`\n  ${title}`)
  await matchBooks(hand)
  await foldLedger(hand.services.database)
  await pool.query('vacuum analyze')
  for (const [name, work] of Object.entries(worksOf(hand))) {
    const times: number[] = []
    for (let run = 0; run <= RUNS; run++) {
      const begun = performance.now()
      await work()
      times.push(performance.now() - begun)
    }
    const cost = Math.min(...times)
    const few = before.get(name) ?? cost
    before.set(name, few)
    const ratio = cost / few
    const judged = ratio > GOAL ? ` ABOVE ${GOAL}` : ''
    console.log(`  ${name.padEnd(44)}${cost.toFixed(2).padStart(9)} ms; against few ${ratio.toFixed(2)}${judged}`)
  }
}

function worksOf(hand: Hand): Record<string, () => Promise<unknown>> {
  const { services } = hand
  const { database: books, catalogue, market, now } = services
  const chain = services.chains.get(TO)
  const usdc = chain?.network.tokens.find(({ contract }) => contract !== null)
  const source = services.chains.get(FROM)?.network.tokens.find(({ contract }) => contract !== null)
  if (!chain || !usdc || !source) throw new Error('a network is missing')
  const { treasury } = chain
  const head = BigInt(hand.chain(TO).height)
  const since = (ms: number) => new Date(now().getTime() - ms)
  const weights = new Map([[tokenKey(source), 1n]])
  const housekeeper = createHousekeeper(services)
  return {
    'one swap, all its way': () => travel(hand),
    'a watcher’s round with a new block': () => {
      hand.chain(TO).mine()
      return hand.watch(TO)
    },
    'a round of housekeeping': () => {
      hand.passTime(60_000)
      return housekeeper.turn()
    },
    'a round of reconciling': () => reconcile(services),
    'a round of sweeping': () => sweepAddresses(services),
    'rules before a payout': () => readRules(books, catalogue, market, now()),
    'outflow of an hour': () => outflowSince(books, since(HOUR_MS)),
    'outflow of an hour, one network': () => outflowSince(books, since(HOUR_MS), TO),
    'proof of a slice of postings': () => provePostings(books),
    'a wallet’s balance in the books': () => ledgerUnits(books, treasury, usdc),
    'a wallet’s balance at a block': () => unitsAt(books, treasury, usdc, head - 10n),
    'what may be on its way': () => unsettledUnits(books, usdc, treasury, null),
    'addresses to be compared': () => nextHolders(books, source, treasury, 100),
    'addresses worth a sweep': () => findUnswept(books, source, { floor: 1_000n, limit: 50, after: null }),
    'slots to be judged': () => openSlots(books, TO, { finalBelow: head - 6n, shakenFrom: null, limit: 200 }),
    'slots that are taken': () => takenSlots(books, TO, treasury),
    'deposits that are deep enough': () => findRipe(books, FROM, head, weights, 200),
    'deposits in the mempool': () => findWaiting(books, FROM, 200),
    'deposits that are gone': () => findGone(books, FROM, head - 12n, 200),
    'deposits that become final': () => finalise(books, FROM, head - 6n),
    'swaps that time decides about': () => takeRestless(books, { now: now(), nextAt: now(), limit: 100 }),
    'payouts that were forgotten': () => forgottenPayouts(books, since(30_000), 200),
    'what is promised of a token': () => promisedSince(books, usdc, since(60_000)),
    'what is promised on a network': () => promisedByToken(books, TO, since(60_000)),
    'how long swaps take': () => completionTimes(books, 1_000),
  }
}

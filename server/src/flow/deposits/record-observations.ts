/**
 * The only writer of what nodes report about deposits; `flow/swap/resolve-unmatched.ts` carries out an operator's
 * decision about one. Stores node reports, lets `judgeDeposit` decide and carries out its actions, in the
 * caller's transaction. The caller holds the network's lease, or reports a hint, which can only add transfers.
 */
import {
  type ChainAdapter,
  type DepositTransfer,
  type Inspection,
  isWorthStoring,
  type Judgement,
  judgeDeposit,
  type Observation,
  type Observer,
  type ScanClock,
  type Sighting,
  tokenKey,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { insertDeposits } from '../../store/deposits/deposits.ts'
import {
  changeBlocksFrom,
  insertObservations,
  readClock,
  readSubjects,
  type Subjects,
  saveBlocks,
  saveLooks,
  swapsOf,
  toKnownDeposit,
} from '../../store/deposits/observations.ts'
import { salesAmong } from '../../store/payouts/attempts.ts'
import { type DepositRow, lockSwapRows } from '../../store/swaps/swaps.ts'
import { alertOnce, type Isolation, inSavepoint } from '../lib/error-boundary.ts'
import { assignToSwap, carryOut, type Deposits, toInsert } from './carry-out.ts'
import { namesNoSwap } from './match.ts'
import { watchlistOf } from './receivers.ts'
import { ownDepth } from './required-confirmations.ts'

export interface Report {
  txHash: string
  observation: Observation
}

interface Recording {
  /** How a failing transaction is isolated from the others. */
  apart?: Isolation
  /** The time of the block, for deposits that were seen after their quote expired. */
  blockAt?: Date | null
  /** Also judge these transactions, although nothing new was reported about them. */
  also?: readonly string[]
  /** Set if the caller holds the network's lease and the required confirmations of all deposits are decided. */
  mayCredit?: boolean
}

/** A node's answer about one transaction. A reverted transaction is in a block and has no transfers. */
export function toObservation(
  found: Inspection,
  by: Observer,
  clock: ScanClock,
  transfers: readonly DepositTransfer[],
): Observation {
  if (found.state === 'unknown') return { kind: 'absent', by, clock }
  if (found.state === 'pending') return { kind: 'seen', by, clock, block: null, confirmations: 0, transfers }
  const { block, confirmations } = found
  return { kind: 'seen', by, clock, block, confirmations, transfers }
}

/** Leaves out our own sweeps, the proceeds of our sales, our change outputs and transfers of zero units. */
export async function toTransfers(
  services: Services,
  chain: ChainAdapter,
  sightings: readonly Sighting[],
  queries: Queries = services.database,
): Promise<Map<Sighting, DepositTransfer>> {
  const senders = sightings.flatMap(({ refundableSender }) => refundableSender ?? [])
  const ours = await watchlistOf(services, chain, queries).owned(senders)
  // The sender of the proceeds is a pool. Signed transactions are stored before they are sent, so they are known here.
  const hashes = chain.exchanges ? sightings.map(({ txHash }) => txHash) : []
  const sales = await salesAmong(queries, chain.network.name, hashes)
  const isForeign = ({ refundableSender: from, amount, txHash }: Sighting) =>
    !(from !== null && ours.has(from)) && amount.units > 0n && !sales.has(txHash)
  return new Map(
    sightings.filter(isForeign).map((sighting) => {
      const { index, amount, to, refundableSender: from, fundingAddresses: senders, reference } = sighting
      const { alias = null, doubt = null, requiresFinality = false } = sighting
      const token = tokenKey(amount.token)
      return [
        sighting,
        { index, token, to, from, senders, units: amount.units, reference, alias, doubt, requiresFinality },
      ]
    }),
  )
}

/** The transfers that a scan or a hint shows. A transaction that appears in two blocks gives two reports. */
export async function recordSightings(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  sightings: readonly Sighting[],
  by: Observer,
  recording: Recording & { clock?: ScanClock } = {},
): Promise<void> {
  const clock = recording.clock ?? (await readClock(queries, chain.network.name))
  const transfers = await toTransfers(services, chain, sightings, queries)
  const groups = Map.groupBy(transfers, ([{ txHash, block }]) => `${txHash} ${block?.hash ?? ''}`)
  const reports = [...groups.values()].flatMap((group): Report[] => {
    const [first] = group
    if (!first) return []
    const { txHash, block } = first[0]
    const confirmations = block ? Math.max(0, Number(clock.head - block.number) + 1) : 0
    const each = [...new Map(group.map(([, transfer]) => [transfer.index, transfer])).values()]
    return [{ txHash, observation: { kind: 'seen', by, clock, block, confirmations, transfers: each } }]
  })
  if (by === 'scan') {
    const blocks = reports.flatMap(({ observation }) => ('block' in observation ? (observation.block ?? []) : []))
    await saveBlocks(
      queries,
      chain.network.name,
      blocks.map((block) => ({ ...block, state: 'canonical' })),
      clock,
    )
  }
  await recordObservations(services, queries, chain, reports, recording)
}

export async function recordObservations(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  reported: readonly Report[],
  recording: Recording = {},
): Promise<void> {
  const { apart = inSavepoint, also = [] } = recording
  const network = chain.network.name
  const reports = reported.filter((report) => isStorable(services, network, report))
  const txHashes = [...new Set([...reports.map(({ txHash }) => txHash), ...also])]
  if (txHashes.length === 0) return
  const clock = await readClock(queries, network)
  const read = async (hashes: readonly string[]) => {
    await lockSwapRows(queries, await swapsOf(queries, network, hashes))
    const named = reports.flatMap(({ observation }) => ('block' in observation ? (observation.block?.hash ?? []) : []))
    return readSubjects(queries, network, hashes, named)
  }
  const open = (state: Subjects, txHash: string) => openCase(services, chain, clock, state, reports, txHash, recording)
  const state = await read(txHashes)
  const cases = new Map(txHashes.map((txHash) => [txHash, open(state, txHash)]))
  const done = await insertNew(services, queries, chain, cases, apart)
  for (const [txHash, one] of cases) {
    if (done.has(txHash)) continue
    const problem = await apart(queries, async () => {
      if (one.problem) throw one.problem
      await carryOutAll(services, queries, chain, txHash, one, recording)
      // An orphaned deposit is judged a second time: how much of it was spent is known only after the first round.
      for (let round = 0; one.judgement.isOpen && round < MOST_ROUNDS; round++) {
        Object.assign(one, open(await read([txHash]), txHash))
        await carryOutAll(services, queries, chain, txHash, one, recording)
      }
    })
    if (problem === null) continue
    one.problem = problem
    await keepUnmatched(services, queries, chain, txHash, one, apart)
  }
  await store(services, queries, chain, clock, state, cases)
  const doubts = [...cases.values()].flatMap(({ judgement }) => judgement.actions.filter((each) => each.do === 'doubt'))
  if (doubts.length === 0) return
  const from = doubts.map((each) => each.from).reduce((a, b) => (a < b ? a : b))
  const others = await changeBlocksFrom(queries, network, from, 'unverified', clock)
  await recordObservations(services, queries, chain, [], { apart, also: others.filter((txHash) => !cases.has(txHash)) })
}

/** PostgreSQL can store neither a NUL character nor half of one. A transaction with either must not stop the scan. */
function isStorable(services: Services, network: string, { txHash, observation }: Report): boolean {
  let isText = true
  JSON.stringify([txHash, observation], (_, value) => {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) isText = false
    return typeof value === 'bigint' ? `${value}` : value
  })
  if (isText) return true
  const error = new Error('what a node reported cannot be stored')
  alertOnce(services, { what: 'sighting that cannot be kept', id: `${network} ${txHash}` }, error)
  return false
}

/** A deposit whose spent units are unknown is judged again, at most once per orphaned deposit of its transaction. */
const MOST_ROUNDS = 20

interface Case {
  deposits: readonly DepositRow[]
  stored: readonly Observation[]
  reported: readonly Observation[]
  judgement: Judgement
  /** Why a transaction could not be judged or its actions carried out. */
  problem: unknown
}

function openCase(
  services: Services,
  chain: ChainAdapter,
  clock: ScanClock,
  { deposits, observations, blocks }: Subjects,
  reports: readonly Report[],
  txHash: string,
  { mayCredit = false }: Recording,
): Case {
  const mine = deposits.filter(({ tx_hash }) => tx_hash === txHash)
  const stored = observations.filter((one) => one.txHash === txHash).map(({ observation }) => observation)
  const fresh = reports.filter((one) => one.txHash === txHash).map(({ observation }) => observation)
  const reported = stored.length === 0 ? [...remembered(mine), ...fresh] : fresh
  const view = { generation: clock.generation, scannedTo: clock.head, find: (hash: string) => blocks.get(hash) }
  const required = (transfer: DepositTransfer) => ownDepth(services, chain.network, transfer)
  const rules = { finalDepth: chain.network.finalDepth, mayCredit, known: mine.map(toKnownDeposit), required }
  const one = { deposits: mine, stored, reported }
  try {
    return { ...one, judgement: judgeDeposit([...stored, ...reported], view, rules), problem: null }
  } catch (problem) {
    return { ...one, judgement: { actions: [], verdicts: [], looks: [], blocks: [], isOpen: false }, problem }
  }
}

async function carryOutAll(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  txHash: string,
  { deposits, judgement }: Case,
  { blockAt = null }: Recording,
): Promise<void> {
  const rows: Deposits = new Map(deposits.map((row) => [row.id, row]))
  for (const action of judgement.actions) await carryOut(services, queries, chain, rows, txHash, action, blockAt)
}

/** Rebuilds observations that were deleted after the deposit was settled, from the stored rows. */
function remembered(deposits: readonly DepositRow[]): Observation[] {
  const live = deposits.filter(({ replaced }) => !replaced)
  const clock = { generation: 0n, head: 0n }
  return [...Map.groupBy(live, ({ block_hash }) => block_hash).values()].map((rows) => ({
    ...{
      kind: 'seen',
      by: 'scan',
      clock,
      confirmations: 0,
      transfers: rows.map((row) => toKnownDeposit(row).transfer),
    },
    block: rows[0] ? toKnownDeposit(rows[0]).block : null,
  }))
}

/**
 * Inserts the deposits of many new transactions in one statement, as a backfill finds them. Returns the stored ones. If
 * the statement fails, each deposit is tried alone.
 */
async function insertNew(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  cases: ReadonlyMap<string, Case>,
  apart: Isolation,
): Promise<ReadonlySet<string>> {
  const fresh = [...cases].filter(([, { deposits, problem }]) => deposits.length === 0 && !problem)
  const inserts = fresh.flatMap(([txHash, { judgement }]) =>
    judgement.actions.flatMap((action) => (action.do === 'insert' ? [{ txHash, action }] : [])),
  )
  if (inserts.length < 2) return new Set()
  let rows: DepositRow[] = []
  const wanted = inserts.map(({ txHash, action }) => toInsert(services, chain, txHash, action))
  const problem = await apart(queries, async () => {
    rows = await insertDeposits(queries, chain.network.name, wanted, services.now())
  })
  if (problem !== null) return new Set()
  const byKey = new Map(rows.map((row) => [`${row.tx_hash} ${row.index}`, row]))
  for (const { txHash, action } of inserts) {
    const row = byKey.get(`${txHash} ${action.transfer.index}`)
    if (!row) continue
    const work = () => assignToSwap(services, queries, chain, row, action)
    // A deposit that names no swap causes no further work, so it needs no savepoint: hundreds of dust transfers cost
    // one statement.
    const trouble = namesNoSwap(chain, action.transfer) ? await work() : await apart(queries, work)
    if (trouble) alertOnce(services, { what: 'sighting', id: `${chain.network.name} ${txHash} ${row.index}` }, trouble)
  }
  return new Set(fresh.map(([txHash]) => txHash))
}

/** If a transaction cannot be judged or assigned, its new transfers are stored as unmatched and the scan continues. */
async function keepUnmatched(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  txHash: string,
  { reported, deposits, problem }: Case,
  apart: Isolation,
): Promise<void> {
  const network = chain.network.name
  const isInspected = reported.some(({ by }) => by === 'inspection')
  const item = { what: isInspected ? 'deposit' : 'sighting', id: `${network} ${txHash}` }
  alertOnce(services, item, problem)
  const isTaken = (index: number) => deposits.some((row) => row.index === index && !row.replaced)
  const wanted = reported.flatMap((one) =>
    one.kind === 'absent' ? [] : one.transfers.map((transfer) => ({ transfer, block: one.block })),
  )
  const inserts = wanted
    .filter(({ transfer }) => !isTaken(transfer.index))
    .map((each) => toInsert(services, chain, txHash, each))
  const worse = await apart(queries, async () => {
    await insertDeposits(queries, network, inserts, services.now())
  })
  if (worse !== null) alertOnce(services, { ...item, what: 'sighting that cannot be kept' }, worse)
}

async function store(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  clock: ScanClock,
  state: Subjects,
  cases: ReadonlyMap<string, Case>,
): Promise<void> {
  const { name: network, finalDepth, confirmations } = chain.network
  const all = [...cases].filter(([, { problem }]) => !problem)
  const looks = all.flatMap(([txHash, { judgement }]) => judgement.looks.map((look) => ({ txHash, ...look })))
  // A failed transaction is inspected on every head until it succeeds. Earlier reasons to inspect it stay.
  const failed = [...cases].filter(([, { problem }]) => problem)
  const again = failed.map(([txHash]) => ({ txHash, class: 'credit' as const, due: 0n, since: 0n }))
  const depths = confirmations.map((tier) => tier.confirmations)
  const kept = all.flatMap(([txHash, { stored, reported, judgement }]) => {
    // A settled transaction cannot change any more.
    const isSettled =
      judgement.looks.length === 0 && judgement.verdicts.every((one) => one.isFinal || isOver(one.state))
    if (isSettled) return []
    const known = [...stored]
    const isWorth = (one: Observation) => isWorthStoring(known, one, finalDepth, depths) && known.push(one) > 0
    return reported.filter(isWorth).map((observation) => ({ txHash, observation }))
  })
  await insertObservations(queries, network, kept, services.now())
  await saveBlocks(
    queries,
    network,
    all.flatMap(([, { judgement }]) => judgement.blocks),
    clock,
  )
  await saveLooks(
    queries,
    network,
    all.map(([txHash]) => txHash),
    [...looks, ...again],
  )
  for (const { txHash } of looks.filter((look) => look.class === 'unlocatable')) {
    const isKnown = state.looks.some((look) => look.txHash === txHash && look.class === 'unlocatable')
    if (!isKnown) alertUnlocatable(services, network, txHash, cases.get(txHash))
  }
}

function isOver(state: string): boolean {
  return state === 'orphaned' || state === 'superseded'
}

function alertUnlocatable({ log, metrics }: Services, network: string, txHash: string, one: Case | undefined): void {
  for (const { id: depositId, isInReverification, state } of one?.judgement.verdicts ?? []) {
    if (!isInReverification && state !== 'orphaned') continue
    const swapId = one?.deposits.find(({ id }) => id === depositId)?.swap_id ?? null
    metrics.alerts.inc()
    log.error(
      { network, txHash, depositId, swapId },
      'no node says where a deposit stands since its block was replaced',
    )
  }
}

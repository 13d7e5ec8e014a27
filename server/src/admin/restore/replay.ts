/** Lines of the signing journal that the database lacks: summarised for the operator, and stored. */

import { OrderWire } from '../../keys/backends/protocol.ts'
import { type Closing, type Entry, isSigned, NO_HASH, type Signature } from '../../keys/journal/line.ts'
import type { JournalLines } from '../../keys/journal/read.ts'
import type { Database } from '../../store/db/database.ts'
import type { StoredLeg } from '../../store/db/schema.ts'
import { readJournalRow, setAdoptedTo, storedLines } from '../../store/journal/journal-row.ts'
import { knownPayouts } from '../../store/journal/settles.ts'
import { knownSwaps } from '../../store/restore/recorded-payouts.ts'
import { replaySigned, replayUnpaid } from '../../store/restore/replay.ts'
import { UsageError } from '../context/command-context.ts'

/** Lines that the database is asked about at once. */
const CHUNK = 1_000

/** Signed lines that are not stored, oldest first, one chunk at a time. */
async function* missingLines(
  database: Database,
  journal: JournalLines,
): AsyncGenerator<(Entry<Signature> | Entry<Closing>)[]> {
  const adoptedTo = Number((await readJournalRow(database))?.adopted_to ?? 0n)
  let next = adoptedTo + 1
  let chunk: (Entry<Signature> | Entry<Closing>)[] = []
  const missing = async () => {
    const signed = chunk.filter(isSigned).map(({ n }) => n)
    const stored = await storedLines(database, signed)
    const forked = chunk.find(({ n, hash }) => stored.has(n) && stored.get(n) !== hash)
    if (forked)
      throw new UsageError(
        `line ${forked.n} of the journal is not the one that the database has: put the newest one back`,
      )
    const found = chunk.filter(({ n }) => !stored.has(n))
    chunk = []
    return found
  }
  for (const entry of journal.after(adoptedTo)) {
    // Lines that are gone cannot be replayed: their payouts would be paid again.
    if (entry.n !== next && entry.prev !== NO_HASH)
      throw new UsageError(
        `the journal has no lines ${next} to ${entry.n - 1}, and the database has stored those before only: restore a newer backup, or see "Without the journal" in docs/operate/restore.md`,
      )
    next = entry.n + 1
    if (isSigned(entry) || isUnpaid(entry)) chunk.push(entry)
    if (chunk.length === CHUNK) yield await missing()
  }
  yield await missing()
}

function isUnpaid(entry: Entry): entry is Entry<Closing> {
  return entry.content.type === 'closed' && entry.content.outcome === 'unpaid'
}

export interface Missing {
  network: string
  lines: number
  /** Payouts that the database does not have, and swaps that these were for. */
  payouts: number
  swaps: number
  deposits: number
  accounts: string[]
  /** Units by token. */
  units: Map<string, bigint>
  first: string
  last: string
}

/** Summarises the missing lines by network. A cancellation counts as a line. */
export async function summarise(database: Database, journal: JournalLines): Promise<Missing[]> {
  const found = new Map<string, { lines: Entry<Signature>[] }>()
  for await (const chunk of missingLines(database, journal)) {
    for (const entry of chunk.filter(isSigned)) {
      const { network } = entry.content
      found.set(network, { lines: [...(found.get(network)?.lines ?? []), entry] })
    }
  }
  return Promise.all([...found].map(([network, { lines }]) => summaryOf(database, network, lines)))
}

async function summaryOf(database: Database, network: string, lines: readonly Entry<Signature>[]): Promise<Missing> {
  const payouts = new Map(lines.flatMap(({ content }) => content.payouts.map((payout) => [payout.id, payout])))
  const known = await knownPayouts(database, [...payouts.keys()])
  const lost = [...payouts.values()].filter(({ id }) => !known.has(id))
  const swaps = [...new Set(lost.flatMap(({ swap }) => swap ?? []))]
  const knownIds = await knownSwaps(database, swaps)
  const deposits = new Set(lost.flatMap(({ settles }) => settles.filter((key) => key.startsWith('d:'))))
  const units = new Map<string, bigint>()
  for (const { token, units: each } of payouts.values()) units.set(token, (units.get(token) ?? 0n) + BigInt(each))
  return {
    ...{ network, lines: lines.length, payouts: lost.length, deposits: deposits.size, units },
    swaps: swaps.filter((id) => !knownIds.has(id)).length,
    accounts: [...new Set(lines.map(({ content }) => content.account))],
    ...{ first: lines[0]?.at ?? '', last: lines.at(-1)?.at ?? '' },
  }
}

/** Stores the missing lines, each in a separate transaction. Returns how many signed lines were stored. */
export async function replay(database: Database, journal: JournalLines, now: () => Date): Promise<number> {
  const head = journal.head().n
  let stored = 0
  for await (const chunk of missingLines(database, journal)) {
    for (const entry of chunk) {
      await database.transaction().execute(async (queries) => {
        if (isSigned(entry)) await replaySigned(queries, lineOf(entry), now())
        else await replayUnpaid(queries, closedOf(entry))
      })
      if (isSigned(entry)) stored++
    }
  }
  await setAdoptedTo(database, head)
  return stored
}

function lineOf({ n, hash, content }: Entry<Signature>) {
  const { network, account, slot, attempt, purpose } = content
  const leg = legIn(content)
  const payouts = content.payouts.map((payout) => ({ ...payout, ...(leg && { leg }) }))
  const transfer = { hash: content.hash, bytes: content.bytes, fee: content.fee }
  return { n, hash, network, account, slot, attempt, cancels: purpose === 'cancel', payouts, transfer }
}

/** The terms of the exchange that was signed; null for other orders. */
function legIn({ order }: Signature): StoredLeg | null {
  const parsed = OrderWire.safeParse(order)
  if (!parsed.success || parsed.data.kind !== 'exchange') return null
  const { provider, buys, min_units: minUnits, route, deadline } = parsed.data
  return { provider, buys, minUnits, route, deadline: new Date(deadline).toISOString() }
}

function closedOf({ n, content: { network, account, slot, evidence, freed } }: Entry<Closing>) {
  return { n, network, account, slot, evidence, isFreed: freed.length > 0 }
}

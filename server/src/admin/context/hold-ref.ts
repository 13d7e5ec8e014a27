/**
 * Holds as operators name them, by id. An answer covers only the hold that was shown: without an id nothing is guessed,
 * and a closed or replaced hold accepts no answer.
 */
import { describeHold, type Hold } from '@causeway/core'
import type { Queries } from '../../store/db/database.ts'
import { type Halt, lockHalt, type WalletPlace } from '../../store/limits/halts.ts'
import { lockOpenHold, type OpenHold, readOpenHold } from '../../store/payouts/holds.ts'
import { UsageError } from './command-context.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function shownHold({ hold, detail }: OpenHold<Hold>): string {
  return describeHold(hold, detail)
}

/** A hold's id and text, as every list prints it. */
function holdCell(open: OpenHold<Hold>): string {
  return `${open.id}: ${shownHold(open)}`
}

/** The hold of one payout, for a table cell; empty if the payout is not held. */
export function holdIn(holds: ReadonlyMap<string, OpenHold>, payoutId: string): string {
  const hold = holds.get(payoutId)
  return hold ? holdCell(hold) : ''
}

/**
 * The open hold that `--hold` names; null if nothing holds the payout and no hold is named. Locked inside a
 * transaction.
 */
export async function payoutHoldNamed(
  queries: Queries,
  command: string,
  payoutId: string,
  named: string | undefined,
): Promise<OpenHold | null> {
  const found = named !== undefined && UUID.test(named) ? await lockOpenHold(queries, payoutId, named) : null
  const open = await readOpenHold(queries, payoutId)
  // A reorged payout must be answered before its other holds.
  if (found && (open?.hold.code !== 'payout_reorged' || open.id === found.id)) return found
  if (named === undefined && open === null) return null
  const now = open
    ? `open is ${holdCell(open)}; to answer that: npm run admin -- ${command} --id ${payoutId} --hold ${open.id}`
    : `nothing holds the payout ${payoutId} now`
  throw new UsageError(named === undefined ? `--hold is needed: ${now}` : `the hold ${named} is not open: ${now}`)
}

/** The halt of this wallet; `--hold` must name every cause. Locked inside a transaction. */
export async function haltCausesNamed(queries: Queries, place: WalletPlace, named: string | undefined): Promise<Halt> {
  const { network, account } = place
  const halt = await lockHalt(queries, place)
  if (halt === null) throw new UsageError(`${account} on ${network} is not halted`)
  const ids = halt.causes.map(({ id }) => id)
  const given = named?.split(',').filter(Boolean) ?? []
  if (given.toSorted().join() === ids.toSorted().join()) return halt
  const shown = halt.causes.map(holdCell).join('; ')
  const way = `npm run admin -- wallet release --network ${network} --wallet ${account} --hold ${ids.join(',')}`
  const why = named === undefined ? '--hold is needed' : `--hold ${named} is not what the wallet is halted for now`
  throw new UsageError(`nothing is released: ${why}: open is ${shown}; to release that: ${way}`)
}

/**
 * Contract calls that a family encoded: relayed deposits, and changes of our own contracts. They take the path of
 * payouts (slot, signed bytes, broadcast). This file completes or fails the authorization at the end.
 */
import { type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { closeWithoutSwap } from '../../store/payouts/payouts.ts'
import { authorizationOf, endAuthorization, type Refused, readCall } from '../../store/swaps/gasless.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { relayBudget } from '../../swaps/relay-budget.ts'

/** With less time left, the token may refuse the authorization when the block is mined. */
const LEAST_LEFT_MS = 30_000

/** The authorization has expired, or the swap has ended. */
class Lapsed extends PayoutImpossible {
  override name = 'Lapsed'
}

/** Calls move no money of the wallet, and are not retried once they were refused. */
export function isCall({ kind }: Pick<PayoutRow, 'kind'>): boolean {
  return kind === 'relay' || kind === 'admin'
}

export async function callOrder({ database }: Services, { id, account }: PayoutRow): Promise<Order> {
  return { kind: 'transfers', account, transfers: [], call: await readCall(database, id) }
}

/**
 * Checks that a relay is still wanted and that its authorization is valid long enough. Called before the relay gets its
 * slot and before a late signature.
 */
export async function checkRelay({ database, now, config, screener }: Services, payout: PayoutRow): Promise<void> {
  if (payout.kind !== 'relay') return
  const authorization = await authorizationOf(database, payout.id)
  if (!authorization) throw new PayoutImpossible('there is no authorization')
  const lapsed = lapseOf(authorization, now())
  if (lapsed) throw lapsed
  const { network, token } = payout
  const { owner } = authorization
  const hit = await screener.screen([{ network, address: owner }])
  // Nothing was taken: the money is still the depositor's.
  if (hit) throw new PayoutImpossible(`${hit.address} is screened: ${hit.reason}`)
  const budget = await relayBudget(database, config, { network, token, owner, beside: payout.id }, now())
  if (budget.state === 'spent') throw new PayoutImpossible(budget.reason)
  if (budget.state === 'in use') throw new RetryLater('other deposits of this owner are on their way')
}

type Authorization = NonNullable<Awaited<ReturnType<typeof authorizationOf>>>

function lapseOf({ validBefore, swapStatus }: Authorization, now: Date): Lapsed | null {
  if (validBefore.getTime() - now.getTime() < LEAST_LEFT_MS) return new Lapsed('the authorization has expired')
  return swapStatus === 'user_transfer_pending' ? null : new Lapsed('the swap does not wait any more')
}

/** Relays that have expired or whose swap has ended, according to the database alone. Called before every signature. */
export async function lapsedRelays(
  { now }: Services,
  queries: Queries,
  payouts: readonly PayoutRow[],
): Promise<Map<string, PayoutImpossible>> {
  const lapsed = new Map<string, PayoutImpossible>()
  for (const { id } of payouts.filter(({ kind }) => kind === 'relay')) {
    const authorization = await authorizationOf(queries, id)
    const error = authorization && lapseOf(authorization, now())
    if (error) lapsed.set(id, error)
  }
  return lapsed
}

/** The relay was mined. Its deposit is observed and credited like any other. */
export async function completeCall(services: Services, queries: Queries, { id }: PayoutRow): Promise<void> {
  await endAuthorization(queries, id, 'completed', null)
  await closeWithoutSwap(queries, id, 'confirmed', services.now())
}

/** Ends a call of which nothing was sent and nothing will be sent. */
export async function abandonCall(services: Services, { id }: PayoutRow, code: string, reason: string): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    if (!(await closeWithoutSwap(queries, id, 'abandoned', services.now()))) return
    await endAuthorization(queries, id, REFUSED[code] ?? 'rejected', reason)
  })
}

/** The authorization's outcome, by the name of the error that ended the relay. */
const REFUSED: Readonly<Record<string, Refused>> = { Lapsed: 'expired', Insufficient: 'insufficient' }

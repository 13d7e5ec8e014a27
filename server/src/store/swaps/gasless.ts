/** Authorizations of gasless deposits, and the calls that relays and admin changes send. */
import { type Token, tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import { type Queries, storable } from '../db/database.ts'
import type { AuthorizationStatus, Schema } from '../db/schema.ts'
import type { PayoutRow } from './swaps.ts'

export type AuthorizationRow = Selectable<Schema['gasless_authorization']>

/** The result of an authorization that moved no money. */
export type Refused = 'expired' | 'insufficient' | 'rejected'

/** States of an active authorization. While a swap has one, it accepts no other. */
const STANDING: AuthorizationStatus[] = ['initiated', 'completed']

export interface NewAuthorization {
  swapId: string
  token: Token
  owner: string
  nonce: string
  signature: string
  validBefore: Date
}

/** Stores an authorization with its relay. Null if the swap has one already. */
export async function insertAuthorization(
  queries: Queries,
  entry: NewAuthorization,
  payout: PayoutRow,
): Promise<AuthorizationRow | null> {
  const row = await queries
    .insertInto('gasless_authorization')
    .values({ ...valuesOf(entry), status: 'initiated', reason: null, payout_id: payout.id })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** Binds the owner's nonce to the swap. False if it belongs to another swap: its signature may be public. */
export async function bindNonce(queries: Queries, { swapId, token, owner, nonce }: NewAuthorization): Promise<boolean> {
  const row = await queries
    .insertInto('gasless_nonce')
    .values({ network: token.network, token: tokenKey(token), owner, nonce, swap_id: swapId })
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'token', 'owner', 'nonce'])
        .doUpdateSet({ swap_id: swapId })
        .where('gasless_nonce.swap_id', '=', swapId),
    )
    .returning('swap_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Frees the nonce: the relay ended without a signed transaction, so the owner's signature cannot be public. */
async function releaseNonce(queries: Queries, payoutId: string): Promise<void> {
  await sql`
    delete from gasless_nonce bound using gasless_authorization ended
    where ended.payout_id = ${payoutId}
    and (bound.network, bound.token, bound.owner, bound.nonce, bound.swap_id)
      = (ended.network, ended.token, ended.owner, ended.nonce, ended.swap_id)
    and not exists (
      select from gasless_authorization tried join slot_payout using (payout_id) join attempt using (slot_id)
      where (tried.network, tried.token, tried.owner, tried.nonce) = (ended.network, ended.token, ended.owner, ended.nonce)
    )`.execute(queries)
}

/**
 * The number of seconds in a quarter of an hour. A *phase* is one of them: a swap's deadline ends at its own second, so
 * that deadlines differ.
 */
export const PHASES = 900
/** Of the phases of one owner and token, a group of clients has this many: anyone may name the owner. */
const MOST_OF_GROUP = 20

/** A claim of a deadline for a swap: deadlines of one owner and token must differ. `until`: the end of the claim. */
export interface DeadlineClaim {
  swapId: string
  token: Token
  owner: string
  /** The group of the client that made the swap; null without a client. */
  clientGroup: number | null
  /** The phase to try first. */
  from: number
  now: Date
  until: Date
}

/** The swap's phase; claims the first free one if it has none. Null if all are taken, or the client's group has its share. */
export async function claimPhase(queries: Queries, claim: DeadlineClaim): Promise<number | null> {
  const { swapId, token, owner, clientGroup, from, now, until } = claim
  const [network, key] = [token.network, tokenKey(token)]
  // Two processes may choose the same free phase. The loser chooses again.
  for (let attempts = 0; attempts < PHASES; attempts++) {
    const own = await queries
      .selectFrom('gasless_deadline')
      .select('phase')
      .where('swap_id', '=', swapId)
      .executeTakeFirst()
    if (own) return own.phase
    const { rows } = await sql<{ phase: number }>`
      with free as (
        select (${from}::integer + step) % ${PHASES}::integer as phase from generate_series(0, ${PHASES - 1}::integer) step
        where not exists (
          select from gasless_deadline taken where taken.network = ${network} and taken.token = ${key}
          and taken.owner = ${owner} and taken.phase = (${from}::integer + step) % ${PHASES}::integer and taken.until > ${now}
        )
        and (
          select count(*) from gasless_deadline taken where taken.network = ${network} and taken.token = ${key}
          and taken.owner = ${owner} and taken.client_group = ${clientGroup}::smallint and taken.until > ${now}
        ) < ${MOST_OF_GROUP}
        order by step limit 1
      ), claimed as (
        insert into gasless_deadline as old (network, token, owner, phase, swap_id, until, client_group)
        select ${network}, ${key}, ${owner}, phase, ${swapId}::uuid, ${until}::timestamptz, ${clientGroup}::smallint from free
        on conflict (network, token, owner, phase) do update
          set swap_id = excluded.swap_id, until = excluded.until, client_group = excluded.client_group
        where old.until <= ${now}
      )
      select phase from free`.execute(queries)
    if (rows.length === 0) return null
  }
  return null
}

/** Records a refused request, replacing the previous one. */
export async function recordRefusal(
  queries: Queries,
  entry: NewAuthorization,
  status: Refused,
  reason: string,
  now: Date,
): Promise<AuthorizationRow> {
  const values = { ...valuesOf(entry), status, reason, created_at: now }
  return queries
    .insertInto('gasless_authorization')
    .values({ ...values, payout_id: null })
    .onConflict((conflict) => conflict.column('swap_id').where('payout_id', 'is', null).doUpdateSet(values))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The active authorization, else the newest failed one. */
export async function readAuthorization(queries: Queries, swapId: string): Promise<AuthorizationRow | null> {
  const row = await queries
    .selectFrom('gasless_authorization')
    .selectAll()
    .where('swap_id', '=', swapId)
    .orderBy((eb) => eb.case().when('status', 'in', STANDING).then(0).else(1).end())
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export async function hasOpenAuthorization(queries: Queries, swapId: string): Promise<boolean> {
  const row = await queries
    .selectFrom('gasless_authorization')
    .select('id')
    .where('swap_id', '=', swapId)
    .where('status', 'in', STANDING)
    .executeTakeFirst()
  return row !== undefined
}

/** The authorization behind a relay, with the state of its swap. */
export async function authorizationOf(
  queries: Queries,
  payoutId: string,
): Promise<{ swapId: string; swapStatus: string; validBefore: Date; owner: string } | null> {
  const row = await queries
    .selectFrom('gasless_authorization')
    .innerJoin('swap', 'swap.id', 'gasless_authorization.swap_id')
    .select(['swap.id as swapId', 'swap.status as swapStatus', 'valid_before as validBefore', 'owner'])
    .where('payout_id', '=', payoutId)
    .executeTakeFirst()
  return row ?? null
}

/** The owner and the token of a relay. */
export interface RelayOwner {
  network: string
  token: string
  owner: string
  /** A relay that is not counted: the caller's own. */
  beside?: string | undefined
}

/** The number of failed relays, and of relays that may be in flight. */
interface Relays {
  failed: number
  underWay: number
}

/** Relays of one owner and token since then. */
export async function relaysOf(
  queries: Queries,
  { network, token, owner, beside }: RelayOwner,
  since: Date,
): Promise<Relays> {
  const row = await relaysSince(queries, { network, beside }, since)
    .where('gasless_authorization.token', '=', token)
    .where('gasless_authorization.owner', '=', owner)
    .executeTakeFirstOrThrow()
  return { failed: Number(row.failed), underWay: Number(row.underWay) }
}

/** Relays of all owners on this network since then. */
export async function allRelays(
  queries: Queries,
  whose: Pick<RelayOwner, 'network' | 'beside'>,
  since: Date,
): Promise<Relays> {
  const row = await relaysSince(queries, whose, since).executeTakeFirstOrThrow()
  return { failed: Number(row.failed), underWay: Number(row.underWay) }
}

function relaysSince(queries: Queries, { network, beside }: Pick<RelayOwner, 'network' | 'beside'>, since: Date) {
  return queries
    .selectFrom('gasless_authorization')
    .innerJoin('payout', 'payout.id', 'payout_id')
    .select((eb) => [
      eb.fn.coalesce(eb.fn.sum<number>('payout.reverts'), eb.lit(0)).as('failed'),
      eb.fn
        .count<number>('payout.id')
        .filterWhere((each) => each.and([each('payout.state', '=', 'open'), each('payout.started', '=', true)]))
        .as('underWay'),
    ])
    .where('gasless_authorization.network', '=', network)
    .where('gasless_authorization.created_at', '>', since)
    .$if(beside !== undefined, (query) => query.where('payout.id', '!=', beside ?? ''))
}

/** Ends the authorization of a relay. */
export async function endAuthorization(
  queries: Queries,
  payoutId: string,
  status: 'completed' | Refused,
  reason: string | null,
): Promise<void> {
  await queries
    .updateTable('gasless_authorization')
    .set({ status, reason: reason === null ? null : storable(reason) })
    .where('payout_id', '=', payoutId)
    .where('status', '=', 'initiated')
    .execute()
  if (status !== 'completed') await releaseNonce(queries, payoutId)
}

/** Reactivates an authorization, because a reorg removed the relay that completed it. */
export async function reopenAuthorization(queries: Queries, payoutId: string): Promise<void> {
  await queries
    .updateTable('gasless_authorization')
    .set({ status: 'initiated', reason: null })
    .where('payout_id', '=', payoutId)
    .where('status', '=', 'completed')
    .execute()
}

/** Orders a call: a relay of a token amount, or an admin call that moves no money. */
export async function insertCall(
  queries: Queries,
  order: { kind: 'relay' | 'admin'; token: Token; units: bigint; account: string; to: string; call: string; now: Date },
): Promise<PayoutRow> {
  const { kind, token, units, account, to, call, now } = order
  const payout = await queries
    .insertInto('payout')
    .values({
      swap_id: null,
      number: 0,
      kind,
      deposit_id: null,
      network: token.network,
      account,
      token: tokenKey(token),
      units,
      to_address: to,
      state: 'open',
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await queries.insertInto('prepared_call').values({ payout_id: payout.id, call }).execute()
  return payout
}

export async function readCall(queries: Queries, payoutId: string): Promise<string> {
  const { call } = await queries
    .selectFrom('prepared_call')
    .select('call')
    .where('payout_id', '=', payoutId)
    .executeTakeFirstOrThrow()
  return call
}

function valuesOf({ swapId, token, owner, nonce, signature, validBefore }: NewAuthorization) {
  return {
    swap_id: swapId,
    network: token.network,
    token: tokenKey(token),
    owner,
    nonce,
    signature,
    valid_before: validBefore,
  }
}

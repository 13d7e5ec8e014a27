/** Inserts swaps with credited deposits directly into the database: each owes its recipient an output. */
import { randomUUID } from 'node:crypto'
import { type Address, type Token, tokenKey } from '@causeway/core'
import type { World } from '../../support/processes/world.ts'

export async function orderPayouts(
  world: World,
  token: Token,
  account: Address,
  targets: ReadonlyMap<Address, bigint>,
): Promise<void> {
  const swaps = [...targets].map(([to, units]) => ({ id: randomUUID(), to, units: units.toString() }))
  await world.query(
    `with wanted as (select * from json_to_recordset($1::json) as w(id uuid, "to" text, units numeric)),
     made as (
       insert into swap (id, reference, status, settlement, source_network, source_token, destination_network, destination_token, refuel,
         destination_address, receiver, uses_deposit_address, slippage, quote_view, quote_expires_at, expires_at)
       select id, 1 + floor(random() * 9e15)::bigint, 'ls_transfer_pending', 'output', $2, $3, $2, $3, false, "to", $4, false, 0, '{}', now(), now() from wanted
       returning id),
     ordered as (
       insert into payout (swap_id, number, kind, network, account, token, units, to_address, state)
       select wanted.id, 0, 'output', $2, $4, $3, units, "to", 'open' from wanted join made on made.id = wanted.id
       returning id)
     select count(graphile_worker.add_job('pay', json_build_object('payoutId', id), queue_name := $5,
       job_key := 'pay:' || id, max_attempts := 25)) from ordered`,
    [JSON.stringify(swaps), token.network, tokenKey(token), account, `pay:${token.network}:${account}`],
  )
}

/** A thousand swaps whose deposits counted, put straight into the database: each owes its recipient an output. */
import { randomUUID } from 'node:crypto'
import type { Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import type { World } from '../support/world.ts'

/** Answers the recipients with what each is to get: different amounts, so that nothing can pass for something else. */
export async function orderPayouts(
  world: World,
  token: Token,
  account: string,
  count: number,
): Promise<Map<string, bigint>> {
  const targets = recipients(world, count)
  const swaps = [...targets].map(([to, units]) => ({ id: randomUUID(), to, units: units.toString() }))
  await world.query(
    `with wanted as (select * from json_to_recordset($1::json) as w(id uuid, "to" text, units numeric)),
     made as (
       insert into swap (id, status, settlement, source_network, source_token, destination_network, destination_token, refuel,
         destination_address, receiver, uses_deposit_address, slippage, quote_view, quote_expires_at, expires_at)
       select id, 'ls_transfer_pending', 'output', $2, $3, $2, $3, false, "to", $4, false, 0, '{}', now(), now() from wanted
       returning id),
     ordered as (
       insert into payout (swap_id, number, kind, network, account, token, units, to_address, state)
       select wanted.id, 0, 'output', $2, $4, $3, units, "to", 'open' from wanted join made on made.id = wanted.id
       returning id)
     select count(graphile_worker.add_job('pay', json_build_object('payoutId', id), queue_name := $5,
       job_key := 'pay:' || id, max_attempts := 25)) from ordered`,
    [JSON.stringify(swaps), token.network, tokenKey(token), account, `pay:${token.network}:${account}`],
  )
  return targets
}

export function recipients(world: World, count: number): Map<string, bigint> {
  return new Map(Array.from({ length: count }, (_, index) => [world.stranger(), 1_000n + BigInt(index)]))
}

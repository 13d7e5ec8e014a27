/** Networks and tokens that were listed at some time, so that their swaps can still be read and finished. */
import { type Network, type Token, tokenKey } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

export interface Known {
  networks: Network[]
  tokens: Token[]
}

/** Stores the listed networks and tokens; known entries get their newest description. */
export async function rememberListed(queries: Queries, networks: readonly Network[]): Promise<void> {
  if (networks.length === 0) return
  // Node addresses and family settings are not stored: they may be secret.
  const described = networks.map((network) => ({ name: network.name, data: { ...network, nodes: [], settings: {} } }))
  const tokens = networks.flatMap((network) =>
    network.tokens.map((token) => ({ network: network.name, key: tokenKey(token), data: token })),
  )
  await sql`insert into known_network (name, data)
    select name, data from json_to_recordset(${JSON.stringify(described)}::json) as listed (name text, data jsonb)
    on conflict (name) do update set data = excluded.data, at = now() where known_network.data <> excluded.data`.execute(
    queries,
  )
  await sql`insert into known_token (network, key, data)
    select network, key, data
    from json_to_recordset(${JSON.stringify(tokens)}::json) as listed (network text, key text, data jsonb)
    on conflict (network, key) do update set data = excluded.data, at = now()
    where known_token.data <> excluded.data`.execute(queries)
}

export async function readKnown(queries: Queries): Promise<Known> {
  const networks = await queries.selectFrom('known_network').select('data').execute()
  const tokens = await queries.selectFrom('known_token').select('data').execute()
  return { networks: networks.map(({ data }) => data), tokens: tokens.map(({ data }) => data) }
}

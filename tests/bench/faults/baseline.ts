/**
 * The common alternative, for comparison: a job table and a worker that signs with the next nonce, sends, and retries
 * on a timeout.
 */
import { fork } from 'node:child_process'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../../support/processes/world.ts'
import { recipients } from '../places.ts'

const WORKER = path.join(import.meta.dirname, 'worker.ts')
const MAX_MS = 20 * 60_000

/** Returns who was owed what, and the kills and seconds that it took. */
export async function retryQueue(
  world: World,
  network: string,
  nodeUrl: string,
  count: number,
  killEveryMs: number,
): Promise<{ targets: Map<string, bigint>; kills: number; seconds: number }> {
  const targets = await recipients(world.sandbox.catalogue.network(network), count, world.devnet(network))
  await world.query(
    "create table naive_job (id serial primary key, recipient text not null, units numeric not null, state text not null default 'waiting')",
  )
  await world.query('insert into naive_job (recipient, units) select * from unnest($1::text[], $2::numeric[])', [
    [...targets.keys()],
    [...targets.values()].map(String),
  ])
  const env = {
    ...process.env,
    DATABASE_URL: world.sandbox.databaseUrl,
    NODE_URL: nodeUrl,
    CHAIN_ID: world.sandbox.catalogue.network(network).chainId ?? '',
    SECRET: world.account(network, 1).secret,
  }
  const started = performance.now()
  let kills = 0
  for (let left = count; left > 0 && performance.now() - started < MAX_MS; ) {
    const worker = fork(WORKER, { env })
    await new Promise((resolve) => worker.once('message', resolve))
    await sleep(killEveryMs)
    const gone = new Promise((resolve) => worker.once('exit', resolve))
    worker.kill('SIGKILL')
    await gone
    kills++
    const [row] = await world.query<{ left: string }>("select count(*) as left from naive_job where state <> 'done'")
    left = Number(row?.left)
  }
  return { targets, kills, seconds: (performance.now() - started) / 1000 }
}

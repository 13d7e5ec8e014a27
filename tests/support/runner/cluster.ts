/** One PostgreSQL for a whole run of the suites, started when the first of them asks for it: most of a start is the same every time. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startPostgres } from '../../../devnet/src/postgres.ts'
import { CLUSTER_VARIABLE, makeTemplate } from '../database/database.ts'

interface Cluster {
  template: string
  stop(): Promise<void>
}

/** Vitest calls it before the first file, and what it answers after the last one. */
export default async function setup(): Promise<() => Promise<void>> {
  let cluster: Promise<Cluster> | null = null
  const door = createServer((_, answer) => {
    cluster ??= start()
    cluster.then(
      ({ template }) => answer.end(template),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    )
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  process.env[CLUSTER_VARIABLE] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  return async () => {
    door.close()
    await (await cluster)?.stop()
  }
}

async function start(): Promise<Cluster> {
  const postgres = await startPostgres()
  return { template: await makeTemplate(postgres), stop: postgres.stop }
}

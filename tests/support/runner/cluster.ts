/**
 * One PostgreSQL for a whole run of the suites, started when the first file asks for it: initdb and the migrations take seconds.
 * Tests of backups ask for one of Debian's PostgreSQL, which has pg_dump.
 */
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { startPostgres } from '../../../devnet/src/postgres.ts'
import { CLUSTER_VARIABLE, makeTemplate } from '../database/database.ts'

interface Cluster {
  template: string
  stop(): Promise<void>
}

/** Vitest calls it before the first file, and the function that it returns after the last one. */
export default async function setup(): Promise<() => Promise<void>> {
  /** By the folder of its programs; npm's has none. */
  const clusters = new Map<string, Promise<Cluster>>()
  const door = createServer((request, answer) => {
    const programs = new URL(request.url ?? '', 'http://localhost').searchParams.get('programs') ?? ''
    const cluster = clusters.get(programs) ?? start(programs)
    clusters.set(programs, cluster)
    // A kept connection can be closed here while a test blocks its process, and its next request would fail.
    answer.setHeader('connection', 'close')
    cluster.then(
      ({ template }) => answer.end(template),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    )
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  process.env[CLUSTER_VARIABLE] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  const removeFiles = await ownTemporaryFolder()
  return async () => {
    door.close()
    for (const cluster of clusters.values()) await (await cluster).stop()
    await removeFiles()
  }
}

async function start(programs: string): Promise<Cluster> {
  const postgres = await startPostgres(programs ? { programs } : {})
  return { template: await makeTemplate(postgres), stop: postgres.stop }
}

/** Tests and what they start write their temporary files into one folder, so that nothing of a run is left behind. */
async function ownTemporaryFolder(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-tests-'))
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755)
  process.env.TMPDIR = folder
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

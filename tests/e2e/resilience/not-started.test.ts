/** A service that cannot start says why in one actionable line, as early as possible, and exits with code 1. */
import { type ChildProcess, spawn } from 'node:child_process'
import net from 'node:net'
import path from 'node:path'
import { type Sandbox, startSandbox } from '@causeway/devnet'
import { parseConfig, startService } from '@causeway/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HEARTBEAT_NAME } from '../../../server/src/flow/run/heartbeat.ts'
import { startDatabase } from '../../support/database/database.ts'
import { startWire } from '../../support/database/stallable-connection.ts'

const MAIN = path.join(import.meta.dirname, '../../../server/src/main.ts')
/** It waits ten seconds for a database before it gives up. */
const START_MS = 60_000
/** No server listens at the lowest port. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none'

let sandbox: Sandbox
const children: ChildProcess[] = []
beforeAll(async () => {
  const only = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA']
  sandbox = await startSandbox({ only, runService: false, database: startDatabase })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await sandbox?.stop()
})

async function serve(env: Record<string, string>): Promise<{ code: number | null; told: string }> {
  const child = spawn(process.execPath, ['--conditions=causeway-source', MAIN], {
    env: { ...process.env, ...sandbox.env, PORT: '0', LOG_LEVEL: 'error', ...env },
  })
  children.push(child)
  const told: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => told.push(`${text}`))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, told: told.join('') }
}

async function listening<T>(answer: (socket: net.Socket) => void, work: (port: number) => Promise<T>): Promise<T> {
  const server = net.createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work((server.address() as net.AddressInfo).port)
  } finally {
    server.close()
  }
}

it.each(['PORT', 'INTERNAL_PORT'])('a %s that is taken is told before anything else is asked', async (name) => {
  await listening(
    (socket) => void socket.destroy(),
    async (port) => {
      const config = parseConfig({ ...sandbox.env, DATABASE_URL: NOWHERE, PORT: '0', [name]: String(port) })
      await expect(startService(config)).rejects.toMatchObject({ code: 'EADDRINUSE', port })
      const { code, told } = await serve({ DATABASE_URL: NOWHERE, [name]: String(port) })
      expect(told).toBe(
        `the service did not start: port ${port} of 127.0.0.1 is taken: stop what listens there, or set PORT or INTERNAL_PORT to another\n`,
      )
      expect(code).toBe(1)
    },
  )
})

it('one number for both ports is reported as early', async () => {
  const port = await listening(
    () => undefined,
    async (free) => free,
  )
  const config = parseConfig({ ...sandbox.env, DATABASE_URL: NOWHERE, PORT: `${port}`, INTERNAL_PORT: `${port}` })
  await expect(startService(config)).rejects.toMatchObject({ code: 'EADDRINUSE', port })
})

it(
  'a database that takes connections and never answers',
  async () => {
    const sockets: net.Socket[] = []
    await listening(
      (socket) => void sockets.push(socket),
      async (port) => {
        const { code, told } = await serve({ DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/mute` })
        const where = `the database mute at 127.0.0.1:${port}`
        expect(told).toBe(
          `the service did not start: ${where} does not answer in time: look at PostgreSQL, or correct DATABASE_URL\n`,
        )
        expect(code).toBe(1)
        for (const socket of sockets) socket.destroy()
      },
    )
  },
  START_MS,
)

it(
  'a database that stops answering when the worker begins',
  async () => {
    const wire = await startWire(sandbox.databaseUrl, (first) => first.includes(HEARTBEAT_NAME))
    const { code, told } = await serve({ DATABASE_URL: wire.url })
    const { host, pathname } = new URL(wire.url)
    const where = `the database ${pathname.slice(1)} at ${host}`
    expect(told).toBe(
      `the service did not start: ${where} does not answer in time: look at PostgreSQL, or correct DATABASE_URL\n`,
    )
    expect(code).toBe(1)
    await wire.stop()
  },
  START_MS,
)

/**
 * Whether the ports of this process are free, asked before anything else: the API's own opens last, when something can be
 * offered, and nobody should wait for that to be told that another program has it.
 */
import { createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'

/** Throws what listening throws. All are held at once, so that one number for two of them is noticed too. */
export async function requireFreePorts({ ROLES, PORT, HOST, INTERNAL_PORT, INTERNAL_HOST }: Config): Promise<void> {
  const wanted: [string, number][] = [[INTERNAL_HOST, INTERNAL_PORT]]
  if (ROLES.includes('api')) wanted.push([HOST, PORT])
  const held: Server[] = []
  try {
    for (const [host, port] of wanted) if (port !== 0) held.push(await listen(host, port))
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}

function listen(host: string, port: number): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => resolve(server))
  })
}

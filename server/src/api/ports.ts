/**
 * Checks at the start that this process's ports are free. The API port opens only when swaps can be offered, and a port
 * conflict should be reported before that.
 */
import { createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'

/** Throws the listen error. All ports are held at once, so that the same number for two of them is noticed too. */
export async function requireFreePorts({ roles, port, host, internalPort, internalHost }: Config): Promise<void> {
  const wanted: [string, number][] = [[internalHost, internalPort]]
  if (roles.includes('api')) wanted.push([host, port])
  const held: Server[] = []
  try {
    for (const place of wanted) if (place[1] !== 0) held.push(await listen(...place))
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

/**
 * Checks before anything else that the ports of this process are free. The API's own port opens last, when there are routes to
 * offer: an operator should not wait that long to learn that another program has it.
 */
import { createServer, type Server } from 'node:net'
import type { Config } from '../config.ts'

/** Throws what listening throws. All are held at once, so that one number for two of them is noticed too. */
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

/** Ports of this machine: whether one is free, and which one is. */
import { createServer } from 'node:net'

export async function isFree(host: string, port: number): Promise<boolean> {
  try {
    await listenOnce(host, port)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}

/** For a process that is started later and must be told its port. */
export function freePort(host: string): Promise<number> {
  return listenOnce(host, 0)
}

function listenOnce(host: string, port: number): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}

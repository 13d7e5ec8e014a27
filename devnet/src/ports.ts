/** Checks for and finds free ports on this machine. */
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

/** The range of ports: below the ephemeral range, so that the system never hands out one of these. */
const [LOWEST, HIGHEST] = [15_000, 32_000]
const TRIES = 100

/** Finds a free port, for a process that is started later, or restarted, and needs a fixed port. */
export async function freePort(host: string): Promise<number> {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isFree(host, port)) return port
  }
  throw new Error(`no port of ${host} is free`)
}

function listenOnce(host: string, port: number): Promise<void> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
  })
}

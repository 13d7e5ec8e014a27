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

/** Below the range that systems hand out by themselves: whoever asks for any port is never given one of these. */
const [LOWEST, HIGHEST] = [15_000, 32_000]
const TRIES = 100

/** For a process that is started later, or again, and must be told its port. */
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

/** Full nodes of the service as processes over one sandbox, to be killed and restarted by tests and benches. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { freePort } from '../../../devnet/src/ports.ts'
import { type Client, clientOf } from '../service/client.ts'

const CHILD = path.join(import.meta.dirname, 'crash-child.ts')

export interface FullNode {
  url: string
  /** Where its metrics are. */
  internalUrl: string
  client: Client
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves when the process has stopped cleanly. */
  stop(): Promise<void>
  /** SIGSTOP: freezes the process until `goOn`. */
  pause(): void
  goOn(): void
  /** The process ended, for any reason: a supervisor would restart it. */
  isGone(): boolean
}

/** Resolves once it listens. */
export async function startNode(env: Readonly<Record<string, string>>): Promise<FullNode> {
  const PORT = `${await freePort('127.0.0.1')}`
  const child = fork(CHILD, { env: { ...process.env, ...env, PORT } })
  const { url, internalUrl } = await new Promise<{ url: string; internalUrl: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string; internalUrl: string }))
    child.once('exit', (code) => reject(new Error(`the node ended with ${code} before it listened`)))
  })
  return {
    url,
    internalUrl,
    client: clientOf(url),
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    isGone: () => isGone(child),
  }
}

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (isGone(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

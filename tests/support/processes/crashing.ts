/** Servers as child processes that are killed at a chosen call to a chain, and ordinary ones that come after them. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { eventually } from '../runner/eventually.ts'
import type { World } from './world.ts'

const CHILD = path.join(import.meta.dirname, 'crash-child.ts')

/** `crashAt` names the call at which the server will kill itself. Resolves once it listens, or is dead already. */
export async function serve({ sandbox }: World, crashAt?: string): Promise<ChildProcess> {
  const child = fork(CHILD, { env: { ...process.env, ...sandbox.env, ...(crashAt ? { CRASH_AT: crashAt } : {}) } })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code, signal) => {
      if (crashAt && signal === 'SIGKILL') resolve()
      else reject(new Error(`the server ended with ${code ?? signal} before it listened`))
    })
  })
  return child
}

/** Ends a healthy server once all it sent is final: what comes after it finds nothing of the past at which to be killed. */
export async function finish({ query }: World, server: ChildProcess): Promise<void> {
  await eventually(async () => {
    const open = await query("select from slot where state = 'open'")
    return open.length === 0
  }, 'all that was sent to be final')
  server.kill('SIGTERM')
  await ended(server)
}

/** Which signal ended it. */
export function ended(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.signalCode)
    else child.once('exit', (_, signal) => resolve(signal))
  })
}

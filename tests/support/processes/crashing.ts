/** Servers as child processes that crash at a chosen chain call, and ordinary ones that follow them. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { eventually } from '../runner/eventually.ts'
import type { World } from './world.ts'

const CHILD = path.join(import.meta.dirname, 'crash-child.ts')

/** `crashAt`: the call at which the server kills itself. Resolves once it listens or has crashed. */
export async function serve(
  { sandbox }: World,
  crashAt?: string,
  more: Record<string, string> = {},
): Promise<ChildProcess> {
  const env = { ...process.env, ...sandbox.env, ...more, ...(crashAt ? { CRASH_AT: crashAt } : {}) }
  const child = fork(CHILD, { env })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code, signal) => {
      if (crashAt && signal === 'SIGKILL') resolve()
      else reject(new Error(`the server ended with ${code ?? signal} before it listened`))
    })
  })
  return child
}

/**
 * Stops a healthy server once everything it sent is final, so that the next one finds no old work at which to crash.
 */
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

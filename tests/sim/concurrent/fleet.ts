/** The services of a run, one process each: killed and restarted, or frozen and resumed, at any moment. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { openNode, type SimulatedChain, type SimulatedNode } from '../../../chains/simulated/local/src/index.ts'
import type { SwapRequest } from '../../../server/src/swaps/request.ts'
import { answerOf, type FromService, type Granted, type ToService } from './nodes.ts'

const CHILD = path.join(import.meta.dirname, 'child.ts')

export interface Service {
  readonly nodes: ReadonlyMap<string, SimulatedNode>
  /** Null if the request is refused, or the process is killed meanwhile. */
  order(request: SwapRequest): Promise<Granted | null>
  /** Resolves once a new process has replaced it. */
  kill(): Promise<void>
  /** Freezes the process for this long, whatever it is doing. */
  freeze(ms: number): void
  stop(): Promise<void>
}

export async function startService(
  chains: ReadonlyMap<string, SimulatedChain>,
  databaseUrl: string,
  env: Record<string, string>,
): Promise<Service> {
  const nodes = new Map([...chains].map(([network, chain]) => [network, openNode(chain)]))
  const wishes = new Map<number, (granted: Granted | null) => void>()
  let made = 0
  let child = await begin()

  async function begin(): Promise<ChildProcess> {
    const born = fork(CHILD, [databaseUrl, JSON.stringify(env)], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await new Promise<void>((resolve, reject) => {
      born.once('exit', (code, signal) => reject(new Error(`a service ended: ${code ?? signal}`)))
      born.on('message', async (message: FromService) => {
        if ('ready' in message) resolve()
        else if ('question' in message) {
          const answer = await answerOf(nodes, message.question)
          if (born.connected) born.send(answer, () => undefined)
        } else wishes.get(message.wish)?.(message.granted)
      })
    })
    return born
  }

  function ended(gone: ChildProcess): Promise<void> {
    if (gone.exitCode !== null || gone.signalCode !== null) return Promise.resolve()
    return new Promise((resolve) => gone.once('exit', () => resolve()))
  }

  return {
    nodes,
    order(request) {
      const id = ++made
      return new Promise((resolve) => {
        const done = (granted: Granted | null) => {
          wishes.delete(id)
          resolve(granted)
        }
        wishes.set(id, done)
        const wish: ToService = { wish: { id, request } }
        child.send(wish, (error) => error && done(null))
      })
    },
    async kill() {
      const gone = child
      gone.kill('SIGKILL')
      await ended(gone)
      for (const done of [...wishes.values()]) done(null)
      child = await begin()
    },
    freeze(ms) {
      const frozen = child
      frozen.kill('SIGSTOP')
      setTimeout(() => frozen.kill('SIGCONT'), ms)
    },
    async stop() {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended(child)
    },
  }
}

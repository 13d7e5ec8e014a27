/**
 * A whole service in its own process: watchers, workers, periodic tasks, and swap creation on request. It may be killed
 * at any moment.
 */
import { RetryLater } from '@causeway/core'
import { sleep } from '../../../server/src/flow/lib/sleep.ts'
import { runPeriodicTasks } from '../../../server/src/flow/run/scheduler.ts'
import { runWorker } from '../../../server/src/flow/run/worker.ts'
import { watchNetwork } from '../../../server/src/flow/watch/watch.ts'
import { createSwap } from '../../../server/src/swaps/create-swap.ts'
import { startServices } from '../../support/service/services.ts'
import { distantNode, type FromService, type ToService, type Wish } from './nodes.ts'

const [url = '', settings = '{}'] = process.argv.slice(2)
const REFRESH_MS = 300
const waiting = new Map<number, (message: Extract<ToService, { answer: number }>) => void>()
let asked = 0

const tell = (message: FromService) => void process.send?.(message)
const nodeOf = (name: string) =>
  distantNode(name, async (question) => {
    const id = ++asked
    const answered = new Promise<Extract<ToService, { answer: number }>>((resolve) => waiting.set(id, resolve))
    tell({ question: { ...question, id } })
    const { value, refused } = await answered
    if (refused !== null) throw new RetryLater(refused)
    return value
  })

process.on('disconnect', () => process.exit(0))
process.on('message', (message: ToService) => {
  if ('wish' in message) {
    void grant(message.wish)
    return
  }
  waiting.get(message.answer)?.(message)
  waiting.delete(message.answer)
})

const services = await startServices(url, JSON.parse(settings) as Record<string, string>, undefined, nodeOf)
const { signal } = new AbortController()
const roles = [
  runWorker(services, signal),
  runPeriodicTasks(services, signal),
  ...[...services.chains.values()].map((chain) => watchNetwork(services, chain, signal)),
]
tell({ ready: true })
await Promise.all([...roles, refreshForEver()])

async function grant({ id, request }: Wish): Promise<void> {
  try {
    const { view } = await createSwap(services, request)
    tell({ wish: id, granted: { reference: view.reference, swapId: view.swap.id, receiver: view.receiver } })
  } catch {
    tell({ wish: id, granted: null })
  }
}

async function refreshForEver(): Promise<void> {
  while (!signal.aborted) {
    await services.refresh().catch(() => undefined)
    await sleep(REFRESH_MS, signal)
  }
}

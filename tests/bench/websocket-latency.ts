/**
 * A provider's WebSocket for a node: it pushes a block as soon as a transaction has created one. Runs in a separate
 * thread, since this is not the service's work.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { headNews, startSocketBefore } from '../support/chains/websocket.ts'

export interface Telling {
  url: string
  /** Call it after a transaction of a third party created a block: subscribers are sent the new head. */
  tell(): void
  stop(): Promise<void>
}

export async function startTelling(httpUrl: string): Promise<Telling> {
  const worker = new Worker(new URL(import.meta.url), { workerData: httpUrl })
  const url = await new Promise<string>((resolve, reject) => worker.once('message', resolve).once('error', reject))
  return {
    url,
    tell: () => worker.postMessage('block'),
    stop: async () => void (await worker.terminate()),
  }
}

if (!isMainThread && parentPort) {
  const tell = () => socket.tell(headNews())
  const socket = await startSocketBefore(workerData as string, (method) => {
    if (method === 'eth_sendRawTransaction') tell()
  })
  parentPort.on('message', tell)
  parentPort.postMessage(socket.url)
}

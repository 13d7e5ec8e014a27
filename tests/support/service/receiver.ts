/** An app's webhook receiver on a local port: keeps what came, and answers as the test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { claimNext, discard, sendDelivery } from '../../../server/src/flow/webhooks/notify.ts'
import type { Services } from '../../../server/src/services.ts'
import { dueEndpoints } from '../../../server/src/store/apps/webhook-queue.ts'

interface Received {
  headers: IncomingHttpHeaders
  body: string
  /** The swap's status in the body; of a test, its type. */
  status: string
}

export interface Receiver {
  url: string
  received: Received[]
  /** How the next requests are answered; 200 unless set. */
  answer: (response: ServerResponse, received: Received) => void
  statuses(): string[]
  stop(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const entry = { headers: request.headers, body, status: statusIn(body) }
    receiver.received.push(entry)
    receiver.answer(response, entry)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    answer: (response) => response.end(),
    statuses: () => receiver.received.map(({ status }) => status),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}

function statusIn(body: string): string {
  const told: { type?: string; data: { swap?: { status: string } } } = JSON.parse(body)
  return told.data.swap?.status ?? told.type ?? ''
}

const never = new AbortController().signal

/** Sends what is due to one webhook endpoint, as the dispatcher of a process does. */
export async function sendWebhooks(services: Services, endpointId: string, signal = never): Promise<void> {
  while (!signal.aborted) {
    const due = await dueEndpoints(services.database, services.now())
    const endpoint = due.find(({ id }) => id === endpointId)
    if (!endpoint) return
    if (endpoint.disabled_at) {
      await discard(services, endpointId)
      continue
    }
    const claimed = await claimNext(services, endpointId)
    if (claimed === 'none') return
    if (claimed !== 'blocked') await sendDelivery(services, endpoint, claimed, signal)
  }
}

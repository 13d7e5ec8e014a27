/** A proxy before a node that hands everything on, and of every so many sent transactions never gives one's answer. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Proxy {
  url: string
  unanswered(): number
  stop(): Promise<void>
}

export async function startProxy(target: string, unansweredEvery: number): Promise<Proxy> {
  let sends = 0
  let unanswered = 0
  const silent = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    try {
      const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const text = await answer.text()
      // Evenly spread instead of drawn, so that both runs meet the same.
      const isLost = body.includes('eth_sendRawTransaction') && ++sends % unansweredEvery === 0
      if (!isLost) {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
        return
      }
      unanswered++
      silent.add(response)
      response.on('close', () => silent.delete(response))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unanswered: () => unanswered,
    async stop() {
      for (const response of silent) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

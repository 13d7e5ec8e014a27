/** A proxy before a node that hands everything on, and of every so many sent transactions never gives one's answer. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SilentProxy {
  url: string
  /** How many since this was asked last. */
  unanswered(): number
  stop(): Promise<void>
}

/** How the families' nodes are told to send something. */
const SEND = /"method":\s*"(eth_sendRawTransaction|sendrawtransaction|sendTransaction|sendBoc\w*)"/i

export async function startProxy(target: string, unansweredEvery: number): Promise<SilentProxy> {
  const { origin, pathname, username, password } = new URL(target)
  const path = (asked = '/') => (asked === '/' ? pathname : asked)
  const headers = {
    'content-type': 'application/json',
    ...(username && { authorization: `Basic ${btoa(`${username}:${password}`)}` }),
  }
  let sends = 0
  let unanswered = 0
  const silent = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    try {
      const answer = await fetch(origin + path(request.url), { method: 'POST', headers, body })
      const text = await answer.text()
      // Evenly spread instead of drawn, so that both runs meet the same.
      const isLost = SEND.test(body) && sends++ % unansweredEvery === 0
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
    unanswered() {
      const count = unanswered
      unanswered = 0
      return count
    },
    async stop() {
      for (const response of silent) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Notifications about accounts of the treasury over a node's WebSocket. */
import type { SolanaChain } from '../chain.ts'
import { associatedAccount, programOf } from '../tokens.ts'

/** The delay before reconnecting. */
const AGAIN_MS = 5_000

/** Calls the listener until the returned function is called. */
export function listenForTouches(chain: SolanaChain, listener: () => void): () => void {
  const { log, network, settings, treasury, tokens } = chain
  const [url] = network.nodes.map(socketOf)
  let socket: WebSocket | null = null
  let again: NodeJS.Timeout | undefined
  let isOver = false

  async function connect(): Promise<void> {
    const mints = [...tokens.keys()]
    const owned = await Promise.all(mints.map((mint) => associatedAccount(treasury, mint, programOf(settings, mint))))
    if (isOver || url === undefined) return
    const opened = new WebSocket(url)
    let isTold = false
    socket = opened
    opened.addEventListener('open', () => {
      // The protocol allows one account per subscription.
      for (const [id, account] of [treasury, ...owned].entries()) {
        const params = [{ mentions: [account] }, { commitment: 'confirmed' }]
        opened.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'logsSubscribe', params }))
      }
    })
    opened.addEventListener('message', ({ data }) => {
      const said = String(data)
      if (said.includes('"logsNotification"')) return listener()
      // A refused subscription is logged once per connection; polling continues.
      if (isTold || !said.includes('"error"')) return
      isTold = true
      log.warn({ network: network.name, said: said.slice(0, 200) }, 'node rejected the account subscription')
    })
    opened.addEventListener('close', retry, { once: true })
    opened.addEventListener('error', retry, { once: true })
  }

  function retry(): void {
    if (isOver) return
    clearTimeout(again)
    again = setTimeout(() => void connect().catch(retry), AGAIN_MS)
    again.unref()
  }

  void connect().catch(retry)
  return () => {
    isOver = true
    clearTimeout(again)
    socket?.close()
  }
}

/**
 * The WebSocket address, derived from the node's URL: providers have it in the same place, a validator at the next
 * port.
 */
export function socketOf(node: string): string {
  const url = new URL(node)
  url.hash = ''
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (url.port !== '') url.port = `${Number(url.port) + 1}`
  return url.href
}

/**
 * One node over a WebSocket: the same calls over one connection, plus a subscription to new heads. The connection opens
 * on first use and again after it was lost or went silent; pending calls then fail.
 */
import { type Call, type CallResponse, callNode, decodeResponse, NodeFailure } from '@causeway/chain-kit'
import { newLimits } from './limits.ts'
import { isSick, LOG_BLOCKS, type Node, type NodeOptions } from './node.ts'

interface Waiting {
  call: Call<unknown>
  resolve(answer: unknown): void
  reject(reason: unknown): void
  timer: NodeJS.Timeout
}

/** Delay before a reconnect. Without a call the socket reconnects, too, so that heads arrive again. */
const AGAIN_MS = 2_000

export function openSocketNode(url: string, options: NodeOptions): Node {
  const { timeoutMs, batchSize, logBlocks = LOG_BLOCKS, spent } = options
  const name = new URL(url).host
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<() => void>()
  let connection: Promise<WebSocket> | null = null
  let lastId = 0
  /** Number of messages received, of any kind. */
  let heard = 0

  function connect(): Promise<WebSocket> {
    connection ??= new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(url)
      const slow = setTimeout(() => lose('it does not open in time'), timeoutMs)
      let isLost = false
      const lose = (reason: string) => {
        // A lost connection may close later, when there is already a new one.
        if (isLost) return
        isLost = true
        clearTimeout(slow)
        const failure = new NodeFailure(`node ${name} failed: ${reason}`)
        reject(failure)
        connection = null
        for (const [id, { reject: fail, timer }] of waiting) {
          clearTimeout(timer)
          waiting.delete(id)
          fail(failure)
        }
        socket.close()
        if (listeners.size > 0) setTimeout(() => void connect().catch(() => undefined), AGAIN_MS).unref()
      }
      socket.addEventListener('open', () => {
        clearTimeout(slow)
        resolve(socket)
        spent?.('eth_subscribe')
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'eth_subscribe', params: ['newHeads'] }))
      })
      socket.addEventListener('message', ({ data }) => hear(String(data)))
      socket.addEventListener('silent', () => lose('the connection is silent'), { once: true })
      socket.addEventListener('close', () => lose('the connection is closed'), { once: true })
      socket.addEventListener('error', () => lose('the connection is broken'), { once: true })
    })
    return connection
  }

  function hear(text: string): void {
    heard += 1
    const said = parsed(text)
    if (said.method === 'eth_subscription') {
      for (const listener of listeners) listener()
      return
    }
    const asked = typeof said.id === 'number' ? waiting.get(said.id) : undefined
    if (!asked) return
    waiting.delete(said.id as number)
    clearTimeout(asked.timer)
    try {
      asked.resolve(decodeResponse(name, asked.call, said, (code, message) => isSick(asked.call, code, message)))
    } catch (error) {
      asked.reject(error)
    }
  }

  async function ask(call: Call<unknown>): Promise<unknown> {
    const socket = await connect()
    return new Promise((resolve, reject) => {
      const id = ++lastId
      const before = heard
      const late = () => {
        waiting.delete(id)
        // A connection that was dropped silently looks open for minutes. No message arrived since the check, not even a
        // head.
        if (heard === before) socket.dispatchEvent(new Event('silent'))
        reject(new NodeFailure(`node ${name} failed: ${call.method} was not answered in time`))
      }
      waiting.set(id, { call, resolve, reject, timer: setTimeout(late, timeoutMs) })
      spent?.(call.method)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: call.method, params: call.params }))
    })
  }

  return {
    ...callNode(name, (calls) => Promise.all(calls.map(ask))),
    limits: newLimits(batchSize, logBlocks),
    onHead(listener) {
      listeners.add(listener)
      void connect().catch(() => undefined)
      return () => void listeners.delete(listener)
    },
  }
}

function parsed(text: string): CallResponse & { method?: unknown } {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null ? said : {}
  } catch {
    return {}
  }
}

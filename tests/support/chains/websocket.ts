/**
 * A node's WebSocket in front of its HTTP address, for tests: requests are passed on, and new heads are sent to
 * subscribers.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

/** The constant that servers append to a client's key (RFC 6455). */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 1
const CLOSE = 8

type Answer = (text: string) => Promise<string>

export async function startSocket(answer: Answer) {
  const clients = new Set<Duplex>()
  let isMute = false
  const server = createServer()
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64')
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
    socket.write(`${[...lines, `Sec-WebSocket-Accept: ${accept}`].join('\r\n')}\r\n\r\n`)
    clients.add(socket)
    socket.on('close', () => clients.delete(socket))
    socket.on('error', () => clients.delete(socket))
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (let frame = frameIn(rest); frame; frame = frameIn(rest)) {
        rest = rest.subarray(frame.length)
        if (frame.kind === CLOSE) socket.end()
        if (frame.kind === TEXT && !isMute) void answer(frame.text).then((text) => socket.write(frameOf(text)))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    clients,
    tell(text: string) {
      for (const client of clients) client.write(frameOf(text))
    },
    /** Connections stay open, and nothing is answered. */
    mute(mute = true) {
      isMute = mute
    },
    /** Every connection breaks. */
    drop() {
      for (const client of clients) client.destroy()
    },
    stop: () =>
      new Promise<void>((resolve) => {
        for (const client of clients) client.destroy()
        server.close(() => resolve())
      }),
  }
}

/**
 * In front of a node's HTTP address; subscriptions are answered here. `onAnswer`: called when the node has answered a
 * request.
 */
export async function startSocketBefore(httpUrl: string, onAnswer: (method: string) => void = () => undefined) {
  return startSocket(async (text) => {
    const { id, method } = JSON.parse(text) as { id: number; method: string }
    if (method === 'eth_subscribe') return JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' })
    const answer = await (await fetch(httpUrl, { method: 'POST', body: text })).text()
    onAnswer(method)
    return answer
  })
}

export function headNews(): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result: {} } })
}

/** The first complete (masked) frame of a client; null if more bytes must come. */
function frameIn(bytes: Buffer): { kind: number; text: string; length: number } | null {
  if (bytes.length < 2) return null
  const short = (bytes[1] ?? 0) & 0x7f
  const start = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < start + 4) return null
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const length = start + 4 + size
  if (bytes.length < length) return null
  const mask = bytes.subarray(start, start + 4)
  const data = Buffer.from(bytes.subarray(start + 4, length)).map((byte, i) => byte ^ (mask[i % 4] ?? 0))
  return { kind: (bytes[0] ?? 0) & 0x0f, text: Buffer.from(data).toString(), length }
}

function frameOf(text: string): Buffer {
  const data = Buffer.from(text)
  if (data.length < 126) return Buffer.concat([Buffer.from([0x80 | TEXT, data.length]), data])
  const head = Buffer.alloc(10)
  head[0] = 0x80 | TEXT
  head[1] = 127
  head.writeBigUInt64BE(BigInt(data.length), 2)
  return Buffer.concat([head, data])
}

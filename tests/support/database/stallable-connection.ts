/** A database connection that can stall: both ends stay open, and no data passes. */
import net from 'node:net'

interface Wire {
  /** The database through it. */
  url: string
  cut(): void
  stop(): Promise<void>
}

/** `isMute`: selects connections, by the client's first bytes, on which nothing ever passes. */
export async function startWire(url: string, isMute: (first: Buffer) => boolean = () => false): Promise<Wire> {
  const target = new URL(url)
  const { hostname, port } = target
  const sockets: net.Socket[] = []
  let isCut = false
  const server = net.createServer((client) => {
    const far = net.connect(Number(port), hostname)
    sockets.push(client, far)
    let isSilent = false
    client.once('data', (first) => {
      isSilent = isMute(first)
    })
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      from.on('error', () => undefined)
      from.on('data', (bytes) => void (isCut || isSilent || to.write(bytes)))
      from.on('close', () => void (isCut || to.destroy()))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  target.port = String((server.address() as net.AddressInfo).port)
  target.hostname = '127.0.0.1'
  target.searchParams.delete('host')
  return {
    url: target.toString(),
    cut() {
      isCut = true
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

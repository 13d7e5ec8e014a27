/** WebSocket notifications about accounts of the treasury. The socket is a fake: LiteSVM has none. */
import { family } from '@causeway/solana'
import { afterEach, expect, test } from 'vitest'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startSocket } from '../../../../tests/support/chains/websocket.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { socketOf } from '../../src/scanning/change-feed.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { testLog, testNetwork, USDC } from './testbed.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function listening() {
  const asked: string[] = []
  const socket = await startSocket(async (text) => {
    const { id, method, params } = JSON.parse(text)
    asked.push(`${method} ${params[0].mentions} ${params[1].commitment}`)
    return JSON.stringify({ jsonrpc: '2.0', id, result: 1 })
  })
  // A validator listens for it at the port after its own.
  const node = `http://127.0.0.1:${Number(new URL(socket.url).port) - 1}`
  const network = { ...testNetwork(), nodes: [node], settings: { subscribe: true } }
  const adapter = await family.open({ network, signer: testSigner('solana'), log: testLog() })
  let news = 0
  const stop = adapter.headFeed?.subscribe(() => news++) ?? (() => undefined)
  stops.push(stop, socket.stop)
  return { socket, asked, adapter, stop, news: () => news }
}

const touched = JSON.stringify({ jsonrpc: '2.0', method: 'logsNotification', params: { result: {}, subscription: 1 } })

test('accounts of the treasury are subscribed to, one request each, and each notification is passed on', async () => {
  const { socket, asked, adapter, news } = await listening()
  const ofToken = await associatedAccount(adapter.treasury, USDC, TOKEN_PROGRAM)
  await eventually(async () => asked.length === 2, 'both questions')
  expect(asked).toEqual([`logsSubscribe ${adapter.treasury} confirmed`, `logsSubscribe ${ofToken} confirmed`])
  expect(news()).toBe(0)
  socket.tell(touched)
  await eventually(async () => news() === 1, 'the word')
})

test('a connection that breaks is made again, and none after it was called off', async () => {
  const { socket, asked, stop, news } = await listening()
  await eventually(async () => asked.length === 2, 'both questions')
  socket.drop()
  await eventually(async () => asked.length === 4, 'both questions again', 15_000)
  socket.tell(touched)
  await eventually(async () => news() === 1, 'the word')
  stop()
  await eventually(async () => socket.clients.size === 0, 'the end of the connection')
})

test('where the socket is', () => {
  expect(socketOf('https://solana.example/v1?key=1')).toBe('wss://solana.example/v1?key=1')
  expect(socketOf('http://127.0.0.1:8899')).toBe('ws://127.0.0.1:8900/')
})

test('there is no subscription unless the file enables it', async () => {
  const adapter = await family.open({ network: testNetwork(), signer: testSigner('solana'), log: testLog() })
  expect(adapter.headFeed).toBeUndefined()
})

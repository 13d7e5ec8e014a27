import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { latestBlock } from '../../src/node/calls.ts'
import { openRpc } from '../../src/node/rpc.ts'
import { startChain, startProxy, type TestChain, testLog } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

function opened(nodes: string[], genesisHash: string | null = null) {
  const log = testLog()
  return { log, rpc: openRpc({ network: 'X', genesisHash, nodes, timeoutMs: 500, parallel: 2, log, now: Date.now }) }
}

const head = (rpc: ReturnType<typeof openRpc>) => rpc.use((node) => node.ask([latestBlock('confirmed')]))

async function sickNode(status: number, body: string) {
  const server = createServer((_, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`
  return { url, stop: () => new Promise((resolve) => server.close(resolve)) }
}

it('the next node is asked if one is down, limited, behind or invalid; its key is not logged', async () => {
  const sicknesses = [
    [502, 'Bad Gateway'],
    [429, '{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests"}}'],
    [200, '{"jsonrpc":"2.0","error":{"code":-32005,"message":"Node is behind by 42 slots"}}'],
    [200, '<html>'],
    [200, '{"jsonrpc":"2.0","result":{"context":{"slot":"soon"},"value":{}}}'],
  ] as const
  for (const [status, body] of sicknesses) {
    const sick = await sickNode(status, body)
    const { rpc } = opened([sick.url, chain.url])
    expect((await head(rpc))[0].slot).toBeGreaterThan(0n)
    const alone = await head(opened([sick.url]).rpc).catch((error) => error)
    expect(alone, body).toBeInstanceOf(RetryLater)
    expect(alone.message).not.toContain('secret-key')
    await sick.stop()
  }
})

it('a node of another chain is never used', async () => {
  const genesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
  const { rpc, log } = opened([chain.url], genesis)
  await expect(head(rpc)).rejects.toThrow('has the genesis')
  expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'node is on another chain' }))
  const proxy = await startProxy(chain.url, ({ method }, answer) =>
    method === 'getGenesisHash' ? { ...answer, result: genesis } : undefined,
  )
  expect((await head(opened([chain.url, proxy.url], genesis).rpc))[0].slot).toBeGreaterThan(0n)
  await proxy.stop()
})

it('a node that does not answer is abandoned after its timeout', async () => {
  const proxy = await startProxy(chain.url, () => new Promise(() => {}))
  await expect(head(opened([proxy.url]).rpc)).rejects.toBeInstanceOf(RetryLater)
  await proxy.stop()
})

it('a statement that needs every node is not made if one cannot be asked', async () => {
  const sick = await sickNode(502, '')
  const { rpc } = opened([chain.url, sick.url])
  await expect(rpc.every((node) => node.ask([latestBlock('confirmed')]))).rejects.toBeInstanceOf(RetryLater)
  await sick.stop()
})

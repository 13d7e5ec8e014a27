/** Nodes fail, lie and lag: work continues with another one, and a node of another chain is never trusted. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RetryLater } from '@causeway/core'
import { afterAll, describe, expect, it } from 'vitest'
import { CHAINS } from '../settings.ts'
import { chainInfo } from './calls.ts'
import { openRpc } from './rpc.ts'

type Answers = Record<string, unknown>

const GOOD: Answers = {
  getblockchaininfo: { chain: 'main', blocks: 7, bestblockhash: 'ab' },
  getblockhash: CHAINS.main.genesis,
  getindexinfo: { txindex: { synced: true } },
}

describe('nodes', () => {
  const servers: Server[] = []
  afterAll(() => {
    for (const server of servers) server.close()
  })

  /** Answers by method; a missing method is refused, and a status instead of answers simulates a broken node. */
  async function nodeWith(answers: Answers | number, wanted = ''): Promise<string> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      if (typeof answers === 'number' || (request.headers.authorization ?? '') !== wanted) {
        response.writeHead(typeof answers === 'number' ? answers : 401).end()
        return
      }
      const answer = ({ id, method }: { id: unknown; method: string }) =>
        method in answers
          ? { id, result: answers[method], error: null }
          : { id, result: null, error: { code: -32601, message: 'Method not found' } }
      const body = JSON.parse(Buffer.concat(chunks).toString())
      response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)))
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  function rpcOver(...nodes: string[]) {
    const errors: string[] = []
    const log = { info() {}, warn() {}, error: (_: unknown, message: string) => void errors.push(message) }
    return {
      errors,
      rpc: openRpc({ network: 'BITCOIN', chain: 'main', nodes, timeoutMs: 1_000, batchSize: 10, log, now: Date.now }),
    }
  }
  const height = ({ rpc }: ReturnType<typeof rpcOver>) =>
    rpc.use(async (node) => (await node.ask([chainInfo()]))[0].height)

  it('the next node is asked if one fails', async () => {
    expect(await height(rpcOver('http://127.0.0.1:1', await nodeWith(503), await nodeWith(GOOD)))).toBe(7)
  })

  it('a node of another chain, or of none, is not used', async () => {
    const testnet = await nodeWith({ ...GOOD, getblockchaininfo: { chain: 'test', blocks: 9, bestblockhash: 'ab' } })
    const forged = await nodeWith({ ...GOOD, getblockhash: CHAINS.test.genesis })
    const over = rpcOver(testnet, forged)
    await expect(height(over)).rejects.toThrow(RetryLater)
    expect(over.errors).toEqual(['node is on another chain', 'node is on another chain'])
    expect(await height(rpcOver(testnet, await nodeWith(GOOD)))).toBe(7)
  })

  it('a node without a transaction index is not used; one that does not say is', async () => {
    const without = await nodeWith({ ...GOOD, getindexinfo: {} })
    await expect(height(rpcOver(without))).rejects.toThrow('no transaction index')
    const { getindexinfo: _, ...silent } = GOOD
    expect(await height(rpcOver(await nodeWith(silent)))).toBe(7)
  })

  it('user name and password are taken from the URL into the header', async () => {
    const login = `Basic ${Buffer.from('user:pa:ss').toString('base64')}`
    const url = await nodeWith(GOOD, login)
    await expect(height(rpcOver(url))).rejects.toThrow(RetryLater)
    const over = rpcOver(url.replace('http://', 'http://user:pa%3Ass@'))
    expect(await height(over)).toBe(7)
  })

  it('a password is never part of an error', async () => {
    const failed = height(rpcOver('http://user:secret@127.0.0.1:1'))
    await expect(failed).rejects.toThrow('127.0.0.1:1')
    await expect(failed).rejects.not.toThrow('secret')
  })

  it('a refusal, no node at all, and invalid answers are retried later', async () => {
    const { getblockchaininfo: _, ...refusing } = GOOD
    await expect(height(rpcOver(await nodeWith(refusing)))).rejects.toThrow(RetryLater)
    await expect(height(rpcOver())).rejects.toThrow(RetryLater)
    await expect(height(rpcOver(await nodeWith({ ...GOOD, getblockchaininfo: 'hello' })))).rejects.toThrow(RetryLater)
  })

  it('what every node must agree to fails if one does not answer', async () => {
    const { rpc } = rpcOver(await nodeWith(GOOD), 'http://127.0.0.1:1')
    await expect(rpc.every(async (node) => (await node.ask([chainInfo()]))[0].height)).rejects.toThrow(RetryLater)
  })
})

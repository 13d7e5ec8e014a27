/**
 * Every family reports every request that it sends: budgets (`max_requests_per_minute`) and operator views rely on it.
 * The node of each is down, so the first request is made and no chain is needed.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readCatalogue } from '../../server/src/catalogue/catalogue.ts'
import { loadFamily } from '../../server/src/catalogue/chains.ts'
import { testLog } from '../support/chains/samples.ts'
import { testSigner } from '../support/chains/signer.ts'

const FOLDERS = ['mainnet', 'testnet'].map((name) => path.join(import.meta.dirname, '../../networks', name))

let requests = 0
const down = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  requests += [body.startsWith('[') ? (JSON.parse(body) as unknown[]) : body].flat().length
  response.writeHead(503).end()
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => down.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(down.address() as AddressInfo).port}`
})
afterAll(() => {
  down.closeAllConnections()
  down.close()
})

const catalogues = await Promise.all(FOLDERS.map((folder) => readCatalogue(folder, {}, loadFamily)))
const networks = catalogues.flatMap(({ networks: open, closed }) => [...open, ...closed])
const onePerFamily = [...new Map(networks.map((network) => [network.type, network])).values()]

test('all families are here', () => {
  expect(onePerFamily.map(({ type }) => type).sort()).toEqual(
    'bitcoin cosmos evm fuel hyperliquid paradex solana starkex starknet ton tron zksynclite'.split(' '),
  )
})

test.each(onePerFamily.map((network) => [network.type, network] as const))(
  'what %s asks of a node is counted',
  async (type, network) => {
    const family = await loadFamily(type)
    const methods: string[] = []
    const before = requests
    const chain = await family.open({
      network: { ...network, nodes: [url], tokens: [network.nativeToken] },
      signer: testSigner('asked'),
      log: testLog(),
      spent: (method) => methods.push(method),
    })
    await expect(chain.balance(chain.treasury, network.nativeToken)).rejects.toThrow()
    // Some families take their fees from their file.
    await chain.fees().catch(() => undefined)
    expect(requests - before).toBeGreaterThan(0)
    // Requests at the same time: the first one may fail while another is still under way.
    await vi.waitFor(() => expect(methods).toHaveLength(requests - before))
    expect(methods).not.toContain('')
    expect(chain.nodeHealth()).toMatchObject([{ failures: expect.any(Number), rests: true }])
  },
)

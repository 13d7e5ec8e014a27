/**
 * A payout pays by the busiest account that it writes to; and data that one node has pruned is requested from the next.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { blockRoot } from '../../src/node/calls.ts'
import { openRpc } from '../../src/node/rpc.ts'
import { parseTerms } from '../../src/paying/terms.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { walletFrom } from './accounts.ts'
import { type Answer, startChain, startProxy, type TestChain, testLog, tokenOf, USDC } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

it('the price of a unit is asked for the accounts that the transaction writes', async () => {
  const { address: to } = await walletFrom('a busy account')
  const busy = await associatedAccount(to, USDC, TOKEN_PROGRAM)
  const own = await associatedAccount(chain.treasury, USDC, TOKEN_PROGRAM)
  const asked: string[][] = []
  const proxy = await startProxy(chain.url, ({ method, params }): Answer | undefined => {
    if (method !== 'getRecentPrioritizationFees') return undefined
    const written = params[0] as string[]
    // In addition it requests the global price.
    if (written.length > 0) asked.push(written)
    return { jsonrpc: '2.0', result: [{ slot: 1, prioritizationFee: written.includes(busy) ? 777_777 : 12 }] }
  })
  const adapter = await chain.open({ nodes: [proxy.url] })
  const priceOf = async (amount: { token: typeof chain.network.nativeToken; units: bigint }) => {
    const order = { kind: 'transfers', account: chain.treasury, transfers: [{ to, amount }] } as const
    return parseTerms(await adapter.prepare({ ...order, transfers: [...order.transfers] }, null)).unitPrice
  }
  expect(await priceOf({ token: tokenOf(chain.network, 'USDC'), units: 5_000_000n })).toBe(777_777n)
  expect(await priceOf({ token: chain.network.nativeToken, units: 5_000_000n })).toBe(10_000n)
  expect(asked).toEqual([
    expect.arrayContaining([chain.treasury, own, busy]),
    expect.arrayContaining([chain.treasury, to]),
  ])
  await adapter.fees()
  expect(asked[2]).toEqual([chain.treasury, own])
  await proxy.stop()
})

it('a block that the first node has cleaned up is asked of the second', async () => {
  const cleaned = await startProxy(chain.url, ({ method }): Answer | undefined =>
    method === 'getBlock'
      ? { jsonrpc: '2.0', error: { code: -32001, message: 'Block 1 cleaned up, does not exist on node' } }
      : undefined,
  )
  const options = { network: 'X', genesisHash: null, timeoutMs: 5_000, parallel: 2, log: testLog(), now: Date.now }
  const rpc = openRpc({ ...options, nodes: [cleaned.url, chain.url] })
  expect(await rpc.use(async (node) => (await node.ask([blockRoot(1n)]))[0].slot)).toBe(1n)
  await cleaned.stop()
})

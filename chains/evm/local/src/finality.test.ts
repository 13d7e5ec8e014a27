/** A block is final by depth and by the node's `finalized` or `safe` tag; without the tag, by depth alone. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { parseSettings } from '../../src/settings.ts'
import { accountOf, startChain, startProxy, tokenOf, type Wire, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
let txHash: string
/** The answer of the proxied node to its tags; `pass` asks the local chain. */
let tagged: (wire: Wire) => unknown
let proxy: Awaited<ReturnType<typeof startProxy>>
const reply = ({ id }: Wire, result: unknown) => ({ jsonrpc: '2.0', id, result })
const refuse = ({ id }: Wire) => ({ jsonrpc: '2.0', id, error: { code: -39001, message: 'Unknown block' } })
const depth = () => chain.network.finalDepth

beforeAll(async () => {
  chain = await startChain()
  const { local, network, treasury } = chain
  txHash = await local.transfer(accountOf(local, 0), tokenOf(network, 'USDC'), treasury, 500n)
  await local.mine(network.name, depth() + 2)
  proxy = await startProxy(chain.url, (wire) => {
    const isTag = wire.method === 'eth_getBlockByNumber' && /^(safe|finalized)$/.test(String(wire.params[0]))
    return isTag ? tagged(wire) : undefined
  })
})
afterAll(async () => {
  await proxy.stop()
  await chain.local.stop()
})

/** Asks the chain for another block than the tag would name. */
const tagAt = (height: bigint) => (wire: Wire) => {
  wire.params[0] = `0x${height.toString(16)}`
}
const opened = () => chain.open({ nodes: [proxy.url] })
async function confirmations(adapter = opened()): Promise<number> {
  const found = await (await adapter).inspect(txHash, watching(chain.treasury))
  return 'confirmations' in found ? found.confirmations : 0
}
async function depositBlock(): Promise<bigint> {
  const found = await chain.adapter.inspect(txHash, watching(chain.treasury))
  return 'block' in found ? found.block.number : 0n
}

test('a deposit that is deep enough is final only when the tag reaches it', async () => {
  const block = await depositBlock()
  const adapter = opened()
  tagged = tagAt(block - 1n)
  expect(await confirmations(adapter)).toBe(depth() - 1)
  tagged = tagAt(block)
  expect(await confirmations(adapter)).toBeGreaterThanOrEqual(depth())
})

test.each<[string, (wire: Wire) => unknown]>([
  ['refuses the tag', refuse],
  ['has no block with the tag', (wire) => reply(wire, null)],
  ['gives its first block the tag', tagAt(0n)],
])('a node that %s counts by depth', async (_, answer) => {
  tagged = answer
  expect(await confirmations()).toBeGreaterThanOrEqual(depth())
})

test('a node that knew the tag must show it again', async () => {
  const adapter = opened()
  tagged = tagAt((await depositBlock()) - 1n)
  await confirmations(adapter)
  tagged = refuse
  await expect(confirmations(adapter)).rejects.toThrow(RetryLater)
})

test('a payout and the proof that one is dead wait for the tag', async () => {
  const { adapter, local, network, treasury } = chain
  await local.fund(network.nativeToken, treasury, 10n ** 18n)
  const order = (units: bigint) => ({
    kind: 'transfers' as const,
    account: treasury,
    transfers: [{ to: accountOf(local, 1).address, amount: { token: network.nativeToken, units } }],
  })
  const draft = await adapter.prepare(order(1n), null)
  const slot = await adapter.nextSlot(order(1n), draft, [])
  const lost = await adapter.sign(order(1n), slot, draft)
  const paid = await adapter.sign(order(2n), slot, draft)
  await adapter.broadcast(paid)
  await local.mine(network.name, depth() + 2)
  const other = await opened()
  const ask = ({ hash }: { hash: string }) => other.status({ hash, slot, account: treasury }, nothingSigned)
  const landed = await adapter.status({ hash: paid.hash, slot, account: treasury }, nothingSigned)
  const block = landed.state === 'included' ? landed.block.number : 0n
  tagged = tagAt(block - 1n)
  expect(await ask(paid)).toMatchObject({ state: 'included', confirmations: depth() - 1 })
  expect(await ask(lost)).toEqual({ state: 'unknown' })
  tagged = tagAt(block)
  expect(await ask(lost)).toMatchObject({ state: 'dead', evidence: { usedBy: paid.hash } })
})

test('an L1 counts by `finalized`, a rollup by `safe`, unless its file says otherwise', () => {
  const of = (settings: Record<string, unknown>) =>
    parseSettings({ ...chain.network, settings: { ...chain.network.settings, ...settings } }).finalityTag
  expect(of({ fee_model: 'plain' })).toBe('finalized')
  expect(of({ fee_model: 'op_stack' })).toBe('safe')
  expect(of({ fee_model: 'plain', finality_tag: 'none' })).toBe('none')
})

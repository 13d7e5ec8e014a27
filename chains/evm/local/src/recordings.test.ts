/** Recorded answers of geth: the adapter reads and hashes them, and the local chain answers in the same form. */
import { CallRejected } from '@causeway/chain-kit'
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapeDifferences } from '../../../../tests/support/chains/recordings.ts'
import { contractCall, estimateGas, receipt, send, transaction } from '../../src/node/calls.ts'
import { classOf } from '../../src/node/errors.ts'
import recording from './recordings/execution-apis.json' with { type: 'json' }
import { accountOf, control, startChain } from './testbed.ts'

interface Exchange {
  name: string
  method: string
  params: unknown[]
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

const exchanges: readonly Exchange[] = recording.exchanges
const READERS: Record<string, (answer: unknown) => unknown> = {
  eth_call: contractCall({ to: '0x' }).read,
  eth_estimateGas: estimateGas({ to: '0x' }).read,
  eth_getTransactionByHash: transaction('0x').read,
  eth_getTransactionReceipt: receipt('0x').read,
  eth_sendRawTransaction: send('0x').read,
}
const recorded = (name: string): Exchange => {
  const found = exchanges.find((exchange) => exchange.name === name)
  if (!found) throw new Error(`no recording ${name}`)
  return found
}

const EDR_LEAVES_OUT = {
  blockTimestamp: 'the adapter reads the time from the block',
  yParity: 'the adapter reads no signatures of landed transactions',
}

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

/** Before Byzantium a receipt had a state root instead of a status, and did not say whether it succeeded. */
const isBeforeByzantium = ({ result }: Exchange) => typeof result === 'object' && result !== null && 'root' in result

it.each(exchanges.filter((one) => !one.error && !isBeforeByzantium(one)))(
  'reads $name',
  ({ method, params, result }) => {
    const read = READERS[method]?.(result)
    if (result === null) expect(read).toBeNull()
    else if (method.startsWith('eth_getTransaction')) expect(read).toMatchObject({ hash: params[0] })
    else expect(read).toBe(method === 'eth_estimateGas' ? BigInt(String(result)) : result)
  },
)

it('reads every transaction type in full', () => {
  const types = exchanges.filter(({ method, result }) => method === 'eth_getTransactionByHash' && result)
  for (const { name, result } of types) {
    const raw = result as Record<'nonce' | 'value' | 'input' | 'from', string> & { to: string | null }
    expect(transaction('0x').read(result), name).toMatchObject({
      nonce: BigInt(raw.nonce),
      value: BigInt(raw.value),
      ...{ from: raw.from, to: raw.to, input: raw.input },
    })
  }
  expect(types).toHaveLength(7)
})

it('reads the fee of every receipt type: the gas that was used at its effective price', () => {
  const told = exchanges.filter(
    (one) => one.method === 'eth_getTransactionReceipt' && one.result && !isBeforeByzantium(one),
  )
  for (const { name, result } of told) {
    const raw = result as Record<'gasUsed' | 'effectiveGasPrice' | 'status' | 'blockHash', string>
    expect(receipt('0x').read(result), name).toMatchObject({
      feeUnits: BigInt(raw.gasUsed) * BigInt(raw.effectiveGasPrice),
      success: raw.status === '0x1',
      block: { hash: raw.blockHash },
    })
  }
  expect(told).toHaveLength(4)
})

it('a receipt without a status is never read as success or as failure', () => {
  const old = exchanges.filter(isBeforeByzantium)
  expect(old).toHaveLength(3)
  for (const { result } of old) expect(() => receipt('0x').read(result)).toThrow(TypeError)
})

it.each(exchanges.filter(({ method }) => method === 'eth_sendRawTransaction'))(
  'hashes the bytes of $name to the hash that geth gave',
  async ({ params: [bytes], result }) => {
    expect(keccak256(bytes as Hex)).toBe(result)
    const serializedTransaction = bytes as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']
    expect(await recoverTransactionAddress({ serializedTransaction })).toMatch(/^0x/)
    expect(parseTransaction(serializedTransaction).nonce).toBeDefined()
  },
)

it.each(exchanges.flatMap(({ name, error }) => (error ? [{ name, error }] : [])))('classifies $name', ({ error }) => {
  expect(classOf(error)).toBe('recipient refuses')
})

it('the local chain answers as geth does', async () => {
  const { local, network, node, treasury } = chain
  await local.fund(network.nativeToken, treasury, 10n ** 18n)
  const order = {
    kind: 'transfers' as const,
    account: treasury,
    transfers: [{ to: accountOf(local, 1).address, amount: { token: network.nativeToken, units: 5n } }],
  }
  const draft = await chain.adapter.prepare(order, null)
  const signed = await chain.adapter.sign(order, await chain.adapter.nextSlot(order, draft, []), draft)
  const sent = await control(node, 'eth_sendRawTransaction', signed.bytes)
  expect(shapeDifferences(recorded('eth_sendRawTransaction/send-dynamic-fee-transaction').result, sent)).toEqual([])
  await local.mine(network.name, 1)
  for (const method of ['eth_getTransactionByHash', 'eth_getTransactionReceipt']) {
    const answer = await control(node, method, signed.hash)
    expect(shapeDifferences(recorded(`${method}/get-dynamic-fee`).result, answer, EDR_LEAVES_OUT), method).toEqual([])
    const unknown = await control(node, method, `0x${'12'.repeat(32)}`)
    expect(unknown).toBe(recorded(`${method}/get-notfound-tx`).result)
  }
  const plain = { from: treasury, to: treasury, value: '0x0', data: '0x' }
  const estimate = await control(node, 'eth_estimateGas', plain)
  expect(shapeDifferences(recorded('eth_estimateGas/estimate-simple-transfer').result, estimate)).toEqual([])
})

it('a revert on the local chain is the same refusal as on geth', async () => {
  const { network, node, treasury } = chain
  const usdc = network.tokens[1]?.contract ?? ''
  // transfer(address,uint256) of more than the treasury holds.
  const data = `0xa9059cbb${'11'.repeat(32)}${'7f'.repeat(32)}`
  const [refused] = await node.settle([estimateGas({ from: treasury, to: usdc, data })])
  expect(refused).toBeInstanceOf(CallRejected)
  if (refused instanceof CallRejected) expect(classOf(refused)).toBe('recipient refuses')
})

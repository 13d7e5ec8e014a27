/** Recorded answers of a Sepolia node: the adapter reads and hashes them, the local chain answers in the same form. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shapeDifferences } from '../../../../tests/support/chains/recordings.ts'
import * as calls from '../../src/node/calls.ts'
import { classOf } from '../../src/node/errors.ts'
import { invokeHash, readInvoke } from '../../src/transaction.ts'
import recording from './recordings/sepolia.json' with { type: 'json' }
import { draw, payment, startChain, type TestChain } from './testbed.ts'

const { answers } = recording
const SEPOLIA = 0x534e5f5345504f4c4941n
const block = answers['blockWithTxns-sepolia3100000']
const hashes = answers['blockWithHashes-sepolia3100000']
const receipt = answers['receipt-sepoliaReceipt']

describe('reading', () => {
  it('a header is read; the block before confirmation has no hash and is refused', () => {
    expect(calls.header('latest').read(hashes)).toMatchObject({ number: 3_100_000n })
    expect(() => calls.header('latest').read(answers['blockWithHashes-sepoliaPreConfirmed'])).toThrow(TypeError)
  })

  it('every invoke transaction of the block has the hash that we compute', () => {
    const { transactions } = calls.blockTransactions('latest').read(block)
    expect(transactions).toHaveLength(block.transactions.length)
    const invokes = block.transactions.flatMap((raw) => {
      const invoke = readInvoke(raw)
      return invoke ? [[invokeHash(SEPOLIA, invoke), BigInt(raw.transaction_hash)]] : []
    })
    expect(invokes).toHaveLength(3)
    for (const [computed, told] of invokes) expect(computed).toBe(told)
  })

  it('events, a receipt, a simulation, a status and another transaction type are read', () => {
    const filter = { contract: 1n, key: 1n, from: 1n, to: { hash: '0x1' }, chunk: 10, token: null }
    const events = calls.events(filter).read(answers['events-sepoliaEvents'])
    expect(events.events).toHaveLength(answers['events-sepoliaEvents'].events.length)
    expect(calls.receipt('0x1').read(receipt)).toMatchObject({ feeUnits: BigInt(receipt.actual_fee.amount) })
    expect(calls.simulate({}).read(answers['trace-sepoliaSimulateInvokeTxResp'])).toMatchObject({ refused: null })
    expect(calls.transactionStatus('0x1').read(answers['txnStatus-sepoliaStatus'])).toBe('ACCEPTED_ON_L1')
    expect(calls.transaction('0x1').read(answers['txnWithHash-sepoliaTxn'])).toMatchObject({ invoke: null })
  })

  it('an error of a contract is classified', () => {
    expect(classOf(answers['errors-contractError'].error)).toBe('recipient refuses')
  })
})

describe('the local chain', () => {
  let chain: TestChain
  beforeAll(async () => {
    chain = await startChain()
  })
  afterAll(() => chain.local.stop())

  it('answers in the same form', async () => {
    const { adapter, treasury, network, user, mine, command } = chain
    const drawn = await draw(adapter, payment(treasury, [user.address, network.nativeToken, 5n]))
    await adapter.broadcast(drawn.signed)
    await mine()
    const { hash } = drawn.signed
    const told = (await command('starknet_getTransactionReceipt', { transaction_hash: hash })) as typeof receipt
    expect(shapeDifferences(receipt, told)).toEqual([])
    const at = { block_id: { block_hash: told.block_hash } }
    expect(shapeDifferences(hashes, await command('starknet_getBlockWithTxHashes', at), HEADER)).toEqual([])
    const shown = (await command('starknet_getBlockWithTxs', at)) as typeof block
    const [recordedInvoke] = block.transactions.filter(({ type }) => type === 'INVOKE')
    const [invoke] = shown.transactions
    expect(shapeDifferences(recordedInvoke, invoke)).toEqual([])
    const status = await command('starknet_getTransactionStatus', { transaction_hash: hash })
    expect(shapeDifferences(answers['txnStatus-sepoliaStatus'], status, STATUS)).toEqual([])
  })
})

const UNREAD = 'the adapter does not read it, so the local chain leaves it out'
const HEADER = {
  event_commitment: UNREAD,
  event_count: UNREAD,
  receipt_commitment: UNREAD,
  state_diff_commitment: UNREAD,
  state_diff_length: UNREAD,
  transaction_commitment: UNREAD,
  transaction_count: UNREAD,
}
const STATUS = { failure_reason: 'only a reverted transaction has one' }

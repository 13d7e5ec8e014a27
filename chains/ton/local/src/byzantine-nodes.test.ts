/** A payout may be paid again only if every node agrees: one node that invents its outcome is not enough. */
import { beginCell, Cell, loadTransaction, storeTransaction, type Transaction } from '@ton/core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { forward, type Reply } from '../../../../tests/support/chains/samples.ts'
import { draw, ended, payment, startChain, startProxy, statusOf, type Testbed, type Wire } from './testbed.ts'

const TON = 1_000_000_000n
let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

const usdt = () => bed.network.tokens.find(({ symbol }) => symbol === 'USDT') ?? bed.native

/** Paid, and final. */
async function paid(name: string, token = bed.native) {
  const drawn = await draw(bed.adapter, payment(bed.treasury, [await bed.stranger(name), token, TON / 1_000n]))
  await bed.adapter.broadcast(drawn.signed)
  expect((await ended(bed.adapter, drawn)).state).toBe('included')
  await bed.local.mine(bed.network.name, bed.network.finalDepth)
  return drawn
}

async function liar(answer: (request: Wire) => Reply | undefined | Promise<Reply | undefined>): Promise<string> {
  const proxy = await startProxy(bed.url, answer)
  onTestFinished(proxy.stop)
  return proxy.url
}

const told = async (wire: Wire) => ((await forward(bed.url, wire)).body as { result: unknown }).result
const saying = (result: unknown): Reply => ({ body: { ok: true, result } })

/** The same transaction, altered: it links to its predecessor like the true one. */
function altered(data: unknown, change: (transaction: Transaction) => Transaction): Cell {
  const transaction = change(loadTransaction(Cell.fromBase64(String(data)).beginParse()))
  return beginCell().store(storeTransaction(transaction)).endCell()
}

test('what one of two nodes calls failed is not reverted', async () => {
  const drawn = await paid('called failed', usdt())
  const url = await liar(async (wire) => {
    if (wire.method !== 'tryLocateResultTx') return undefined
    const { data } = (await told(wire)) as { data: string }
    const failed = altered(data, ({ description, ...rest }) => {
      if (description.type !== 'generic') throw new Error('a payout is an ordinary transaction')
      rest.outMessages.clear()
      return { ...rest, outMessagesCount: 0, description: { ...description, aborted: true } }
    })
    return saying({ data: failed.toBoc().toString('base64') })
  })
  expect((await statusOf(await bed.open({ nodes: [url] }), drawn)).state).toBe('reverted')
  expect((await statusOf(await bed.open({ nodes: [url, bed.url] }), drawn)).state).toBe('included')
})

test('a rival with its query id that one of two nodes invents does not make it dead', async () => {
  const drawn = await paid('rivalled')
  const state: Wire = { id: '1', method: 'getAddressInformation', params: { address: bed.treasury } }
  const { last_transaction_id: last } = (await told(state)) as { last_transaction_id: { lt: string; hash: string } }
  const page: Wire = { id: '1', method: 'getTransactions', params: { address: bed.treasury, ...last, limit: 1 } }
  const [newest] = (await told(page)) as { data: string }[]
  const rival = altered(newest?.data, (transaction) => {
    const [signed] = transaction.inMessage?.body.refs ?? []
    if (!signed || !transaction.inMessage) throw new Error('the newest is the payout')
    // Without our signature.
    const body = beginCell().storeBuffer(Buffer.alloc(64)).storeRef(signed).endCell()
    return { ...transaction, inMessage: { ...transaction.inMessage, body } }
  })
  const hash = rival.hash().toString('base64')
  const url = await liar(async (wire) => {
    if (wire.method === 'getTransactions' && wire.params.hash === hash)
      return saying([{ data: rival.toBoc().toString('base64') }])
    if (wire.method !== state.method || wire.params.address !== bed.treasury) return undefined
    return saying({ ...((await told(wire)) as object), last_transaction_id: { ...last, hash } })
  })
  expect((await statusOf(await bed.open({ nodes: [url] }), drawn)).state).toBe('dead')
  expect((await statusOf(await bed.open({ nodes: [url, bed.url] }), drawn)).state).toBe('included')
})

test('what failed by all of them is reverted', async () => {
  const most = (await bed.adapter.balance(bed.treasury, bed.native)).units - TON
  const to = await bed.stranger('left with nothing')
  const [first, second] = [
    await draw(bed.adapter, payment(bed.treasury, [bed.user.address, bed.native, most])),
    await draw(bed.adapter, payment(bed.treasury, [to, bed.native, most])),
  ]
  for (const drawn of [first, second]) {
    await bed.adapter.broadcast(drawn.signed)
    await ended(bed.adapter, drawn)
  }
  await bed.local.mine(bed.network.name, bed.network.finalDepth)
  const both = await bed.open({ nodes: [await liar(() => undefined), bed.url] })
  expect((await statusOf(both, second)).state).toBe('reverted')
})

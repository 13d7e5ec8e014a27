/** Traces a payout whose transactions are far back: later traffic of an account does not change the outcome. */
import { Address as TonAddress } from '@ton/core'
import { expect, test } from 'vitest'
import { canonical } from '../address.ts'
import type { Node } from '../node/node.ts'
import { openHistory } from '../scanning/history.ts'
import type { InternalMessage, TonTransaction } from '../transaction.ts'
import { consumerOf } from './trace.ts'

const ACCOUNT = '11'.repeat(32)
const OWN = TonAddress.parseRaw(`0:${ACCOUNT}`)
const treasury = { address: canonical(OWN) }
const hashOf = (number: number) => number.toString(16).padStart(64, '0')
const pointerOf = (number: number) => ({ hash: hashOf(number), lt: BigInt(number) })

/** To the treasury from itself, as in a batch. */
const messageAt = (createdLt: bigint) =>
  ({ info: { type: 'internal', createdLt, src: OWN, dest: OWN } }) as unknown as InternalMessage

/** A treasury with this many transactions, each caused by the message sent just before it. */
function transaction(number: number): TonTransaction {
  const previous = number > 1 ? pointerOf(number - 1) : null
  const caused = { in: messageAt(BigInt(number) - 1n), out: [], account: ACCOUNT, previous }
  return { ...pointerOf(number), ...caused } as unknown as TonTransaction
}

function nodeAt(newest: number): Node {
  const answers: Record<string, (params: Record<string, unknown>) => unknown> = {
    getAddressInformation: () => ({ last: pointerOf(newest) }),
    tryLocateResultTx: ({ created_lt }) => transaction(Number(created_lt) + 1),
    getTransactions({ hash, limit }) {
      const from = Number.parseInt(Buffer.from(String(hash), 'base64').toString('hex'), 16)
      return Array.from({ length: Math.min(Number(limit), from) }, (_, back) => transaction(from - back))
    },
  }
  const ask = async ({ method, params }: { method: string; params: Record<string, unknown> }) =>
    answers[method]?.(params)
  return { name: 'a.example', ask } as unknown as Node
}

test.each([10, 4_000, 9_000])(
  'the consequence of a message to the treasury is found after %i others',
  async (since) => {
    const chain = { history: openHistory(), treasury }
    const found = await consumerOf(chain, nodeAt(100 + since), messageAt(99n))
    expect(found?.hash).toBe(hashOf(100))
  },
)

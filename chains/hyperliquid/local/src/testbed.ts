/** Shared setup of this folder's tests: a local chain with a funded treasury and an adapter on it. */
import type { Address, ChainAdapter, Network, Order, Slot, Token } from '@causeway/core'
import { family } from '@causeway/hyperliquid'
import { type Drawn, draw as drawOn, payment } from '../../../../tests/support/chains/draft-orders.ts'
import { type Reply, startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { openNode } from '../../src/node/node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './test-network.ts'
import { control } from './wallet.ts'

export { type Drawn, drain, statusOf } from '../../../../tests/support/chains/draft-orders.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 1_000n
export const ONE_USDC = 100_000_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('hyperliquid'),
    treasuryWhole: TREASURY_WHOLE,
  })
  const { url, adapter, treasury, native } = base
  const node = openNode(url, { timeoutMs: 10_000 })
  const [, hype] = network.tokens
  if (!hype) throw new Error('the network has two tokens')
  /** Sends a test control to the local chain. */
  const play = (type: string, words: Record<string, unknown> = {}) => node.ask(control(type, words))
  let numbers = 0
  return {
    ...{ ...base, hype, node, play },
    /** A deposit address that has received nothing yet. */
    async fresh() {
      numbers += 1
      const address = (await adapter.depositAddresses?.derive(numbers)) ?? ''
      return { address, index: numbers }
    },
    payment: (to: Address, units: bigint, token: Token = native) => payment(treasury, [to, token, units]),
    units: async (owner: Address, token: Token = native) => (await adapter.balance(owner, token)).units,
  }
}

/** The allocated slots of each adapter, as the database would know them. */
const handedOut = new Map<ChainAdapter, Slot[]>()

/** Prepares, takes the next slot and signs, as a worker does, without sending. */
export async function draw(adapter: ChainAdapter, order: Order): Promise<Drawn> {
  const taken = handedOut.get(adapter) ?? []
  const drawn = await drawOn(adapter, order, taken)
  handedOut.set(adapter, [...taken, drawn.slot])
  return drawn
}

/** Signs another order in the same slot. */
export async function inSlotOf(adapter: ChainAdapter, { slot, signed }: Drawn, order: Order): Promise<Drawn> {
  const draft = await adapter.prepare(order, signed)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

export async function sent(adapter: ChainAdapter, order: Order): Promise<Drawn> {
  const drawn = await draw(adapter, order)
  await adapter.broadcast(drawn.signed)
  return drawn
}

export interface Question {
  type?: string
  user?: string
  startTime?: number
  action?: unknown
}

/** A proxy in front of a gateway: `answer` may return a false answer, or nothing to pass the request on. */
export async function startProxy(
  url: string,
  answer: (question: Question, pass: () => Promise<Reply>) => Reply | undefined | Promise<Reply | undefined>,
) {
  return startServer(async (text) => {
    const question: Question = JSON.parse(text)
    const pass = async () => {
      const response = await fetch(`${url}/${question.action ? 'exchange' : 'info'}`, { method: 'POST', body: text })
      return { status: response.status, body: await response.json() }
    }
    return (await answer(question, pass)) ?? pass()
  })
}

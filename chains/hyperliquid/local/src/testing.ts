/** What the tests of this folder share: a local chain with a funded treasury and the adapter opened on it. */
import type { Address, ChainAdapter, Network, Order, Slot, Token } from '@causeway/core'
import { family } from '@causeway/hyperliquid'
import { type Drawn, draw as drawOn, payment } from '../../../../tests/support/chains/draft-orders.ts'
import { type Reply, startServer, testLog } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { openNode } from '../../src/node/node.ts'
import { devnet } from './index.ts'
import { testNetwork } from './testnetwork.ts'
import { control } from './wallet.ts'

export { type Drawn, drain, statusOf } from '../../../../tests/support/chains/draft-orders.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 1_000n
export const ONE_USDC = 100_000_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const signer = testSigner('hyperliquid')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  const node = openNode(url, { timeoutMs: 10_000 })
  for (const token of network.tokens) await local.fund(token, treasury, TREASURY_WHOLE * 10n ** BigInt(token.decimals))
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  const adapter = await open()
  const [user, other] = local.accounts
  const [native, hype] = network.tokens
  if (!user || !other || !native || !hype) throw new Error('a devnet has accounts and two tokens')
  /** Does to the local chain what nobody can do to the real one. */
  const play = (type: string, words: Record<string, unknown> = {}) => node.ask(control(type, words))
  let numbers = 0
  return {
    ...{ network, native, hype, treasury, signer, local, url, node, log, open, adapter, user, other, play },
    stranger: (name: string) => family.treasury(network, testSigner(name)),
    /** A deposit address that nothing came to yet. */
    async fresh() {
      numbers += 1
      const address = (await adapter.depositAddresses?.derive(numbers)) ?? ''
      return { address, index: numbers }
    },
    payment: (to: Address, units: bigint, token: Token = native) => payment(treasury, [to, token, units]),
    units: async (owner: Address, token: Token = native) => (await adapter.balance(owner, token)).units,
  }
}

/** The slots of each adapter, which whoever keeps them always knows. */
const handedOut = new Map<ChainAdapter, Slot[]>()

/** Prepares, takes the next slot and signs, as a worker does, and sends nothing. */
export async function draw(adapter: ChainAdapter, order: Order): Promise<Drawn> {
  const taken = handedOut.get(adapter) ?? []
  const drawn = await drawOn(adapter, order, taken)
  handedOut.set(adapter, [...taken, drawn.slot])
  return drawn
}

/** Another order in the slot of this one. */
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

/** A gateway in front of a gateway: `answer` may say something else than the truth, or nothing to pass the question on. */
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

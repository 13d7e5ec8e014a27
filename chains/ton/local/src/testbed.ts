/** Shared setup of this folder's tests: a local chain with a funded treasury and the adapter opened on it. */
import type { Address, ChainAdapter, Network } from '@causeway/core'
import { family } from '@causeway/ton'
import { beginCell, Cell, internal, type Message, storeMessage } from '@ton/core'
import { type Drawn, statusOf } from '../../../../tests/support/chains/draft-orders.ts'
import { forward, type Reply, startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { tonAddress } from '../../src/address.ts'
import { openJettons } from '../../src/jetton.ts'
import { openNode } from '../../src/node/node.ts'
import { control, devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

export {
  type Drawn,
  drain,
  drawNext as draw,
  payment,
  statusOf,
} from '../../../../tests/support/chains/draft-orders.ts'

export { testLog } from '../../../../tests/support/chains/samples.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const base = await startTestbed({ family, devnet, network, signer: testSigner('ton'), treasuryWhole: TREASURY_WHOLE })
  const node = openNode(base.url, { timeoutMs: 10_000, requestsPerSecond: 0 })
  const jettonWallet = (owner: Address, master: Address) => openJettons().walletOf(node, master, owner)
  const send = (message: Message) => node.ask(control('devnet_send', { boc: bocOf(message) }))
  const advance = (seconds: number) => node.ask(control('devnet_advance', { seconds }))
  return { ...base, node, jettonWallet, send, advance }
}

export interface Words {
  from: Address
  to: Address
  value: bigint
  body?: Cell
  bounce?: boolean
  bounced?: boolean
}

/** An internal message with any sender. */
export function messageOf({ from, to, value, body = Cell.EMPTY, bounce = false, bounced = false }: Words): Message {
  const { info } = internal({ to: tonAddress(to), value, bounce, body })
  if (info.type !== 'internal') throw new Error('an internal message was made')
  return { info: { ...info, bounced, src: tonAddress(from) }, init: null, body }
}

function bocOf(message: Message): string {
  return beginCell().store(storeMessage(message)).endCell().toBoc().toString('base64')
}

/** Waits until the payout has ended, in whatever way. */
export function ended(adapter: ChainAdapter, drawn: Drawn) {
  return eventually(async () => {
    const status = await statusOf(adapter, drawn)
    return (status.state === 'included' || status.state === 'reverted') && status
  }, 'the end of a payout')
}

export interface Wire {
  id: string
  method: string
  params: Record<string, unknown>
}

/** A proxy in front of a node: `answer` may return a false answer, or nothing to pass the request on. */
export async function startProxy(
  url: string,
  answer: (request: Wire) => Reply | undefined | Promise<Reply | undefined>,
) {
  const counts: Record<string, number> = {}
  const server = await startServer(async (text) => {
    const wire: Wire = JSON.parse(text)
    counts[wire.method] = (counts[wire.method] ?? 0) + 1
    return (await answer(wire)) ?? forward(url, wire)
  })
  return { ...server, counts }
}

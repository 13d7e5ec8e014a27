/**
 * Shared setup of this folder's tests: a double with a funded treasury, the adapter opened on it, and a proxy that
 * lies.
 */
import type { Address, ChainAdapter, Network, Order } from '@causeway/core'
import { family } from '@causeway/zksynclite'
import { type Drawn, payment as paymentOf } from '../../../../tests/support/chains/draft-orders.ts'
import { startPathProxy } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { ask, devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

export { draw, statusOf } from '../../../../tests/support/chains/draft-orders.ts'

export const ETH = 10n ** 18n
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('zksynclite'),
    treasuryWhole: TREASURY_WHOLE,
  })
  return {
    ...base,
    control: (what: string, given: Record<string, unknown>) => ask(base.url, `devnet/${what}`, given),
  }
}

export function payment({ treasury, native }: Testbed, to: Address, units: bigint): Order {
  return paymentOf(treasury, [to, native, units])
}

/** Signs another order in the slot of one that was never sent. */
export async function rivalOf(adapter: ChainAdapter, { slot }: Drawn, order: Order): Promise<Drawn> {
  const draft = await adapter.prepare(order, null)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

/** A proxy in front of the double: `alter` may return a false answer for a path. */
export function startProxy(url: string, alter: (path: string, result: unknown) => unknown) {
  return startPathProxy(url, (path, body) => {
    const answer = body as { result: unknown }
    return { ...answer, result: alter(path, answer.result) }
  })
}

/**
 * Shared setup of this folder's tests: a double with a funded treasury, the adapter opened on it, and a proxy that
 * lies.
 */
import type { Address, Network, Order, Token } from '@causeway/core'
import { family } from '@causeway/starkex'
import { payment as paymentOf } from '../../../../tests/support/chains/draft-orders.ts'
import { tokenOf } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { ask, devnet } from './index.ts'
import { testNetwork } from './test-network.ts'

export { again, drawNext as draw, statusOf } from '../../../../tests/support/chains/draft-orders.ts'
/** A path to the operator that may return false answers. */
export { startPathProxy as startProxy } from '../../../../tests/support/chains/samples.ts'

export const ETH = 10n ** 18n
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startLedger>>

export async function startLedger(network: Network = testNetwork()) {
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('starkex'),
    treasuryWhole: TREASURY_WHOLE,
  })
  const { local, url } = base
  return {
    ...base,
    usdc: tokenOf(network, 'USDC'),
    control: (what: string, given: Record<string, unknown>) => ask(url, `devnet/${what}`, given),
    nobody: (name: string) => family.treasury(network, testSigner(name)),
    async stranger(name: string) {
      const address = await family.treasury(network, testSigner(name))
      await local.introduce?.(network.name, address)
      return address
    },
  }
}

export function payment({ treasury, native }: Testbed, to: Address, units: bigint, token: Token = native): Order {
  return paymentOf(treasury, [to, token, units])
}

/** What the tests of this folder share: a double with a funded treasury, the adapter opened on it, and a proxy that lies. */
import type { Address, ChainAdapter, Network, Order } from '@causeway/core'
import { family } from '@causeway/zksynclite'
import { type Drawn, payment as paymentOf } from '../../../../tests/support/chains/draft-orders.ts'
import { startPathProxy, testLog } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { ask, devnet } from './index.ts'
import { testNetwork } from './testnetwork.ts'

export { draw, statusOf } from '../../../../tests/support/chains/draft-orders.ts'

export const ETH = 10n ** 18n
const TREASURY_WHOLE = 1_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const signer = testSigner('zksynclite')
  const treasury = await family.treasury(network, signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  const native = network.nativeToken
  await local.fund(native, treasury, TREASURY_WHOLE * ETH)
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  const [user, other] = local.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  return {
    network,
    native,
    signer,
    treasury,
    local,
    url,
    log,
    open,
    user,
    other,
    adapter: await open(),
    mine: (blocks = 1) => local.mine(network.name, blocks),
    control: (what: string, given: Record<string, unknown>) => ask(url, `devnet/${what}`, given),
    stranger: (name: string) => family.treasury(network, testSigner(name)),
    balance: (address: Address) => local.balance(native, address),
  }
}

export function payment({ treasury, native }: Testbed, to: Address, units: bigint): Order {
  return paymentOf(treasury, [to, native, units])
}

/** Another order signed in the slot of one that was never sent. */
export async function rivalOf(adapter: ChainAdapter, { slot }: Drawn, order: Order): Promise<Drawn> {
  const draft = await adapter.prepare(order, null)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

/** A server in front of the double: `alter` may say something else than the truth about a path. */
export function startProxy(url: string, alter: (path: string, result: unknown) => unknown) {
  return startPathProxy(url, (path, body) => {
    const answer = body as { result: unknown }
    return { ...answer, result: alter(path, answer.result) }
  })
}

/** Shared setup of this folder's tests: a devnet with one chain, its node, and an adapter with a funded treasury. */
import type { Address, ChainAdapter, Order, SignedTransfer, Slot, Token, TransferStatus } from '@causeway/core'
import { family } from '@causeway/simulated'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { devnet as devnetFamily } from './devnet.ts'
import { simulatedNetwork } from './network.ts'
import { findChain } from './registry.ts'

export type Testbed = Awaited<ReturnType<typeof openTestbed>>

export async function openTestbed() {
  const network = simulatedNetwork('SIMULATED_TEST')
  const signer = testSigner('testbed')
  const treasury = await family.treasury(network, signer)
  const devnet = await devnetFamily.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const { chain, node } = findChain(network.name)
  for (const token of network.tokens) chain.mint(treasury, token.contract, 10n ** 20n)
  chain.mine(20)
  const adapter = await family.open({ network, signer, log: { info() {}, warn() {}, error() {} } })
  const [user, other] = devnet.accounts
  if (!user || !other) throw new Error('a devnet has accounts')
  const recipient = await family.treasury(network, testSigner('recipient'))
  const native = network.nativeToken
  const balance = (owner: Address, token: Token = native) => chain.balance(owner, token.contract)
  const ours = staticWatchlist(treasury)
  return { network, native, signer, treasury, devnet, chain, node, adapter, user, other, recipient, balance, ours }
}

export function payment(account: Address, to: Address, token: Token, units: bigint): Order {
  return { kind: 'transfers', account, transfers: [{ to, amount: { token, units } }] }
}

/** Prepares an order, chooses its slot and signs it, but does not send it. */
export async function draw(adapter: ChainAdapter, order: Order, taken: readonly Slot[] = []) {
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, taken)
  return { slot, draft, signed: await adapter.sign(order, slot, draft) }
}

export function statusOf(
  adapter: ChainAdapter,
  { signed, slot }: { signed: SignedTransfer; slot: Slot },
): Promise<TransferStatus> {
  return adapter.status({ hash: signed.hash, slot, account: adapter.treasury }, nothingSigned)
}

/**
 * Checks before signing: whether this order can be paid, and which values signing needs. There is no fee to offer here;
 * a replacement is the same payment in the same slot, varied so that nodes treat it as a new message.
 */
import { NodeFailure } from '@causeway/chain-kit'
import {
  type Address,
  type Order,
  type PreparedTransfer,
  type SignedTransfer,
  type Transfer,
  TreasuryShort,
} from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { jettonUnits } from '../jetton.ts'
import { type AccountState, accountState } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { isAhead, MOST_PER_MESSAGE } from './max-signing-cost.ts'
import { BATCH_VALUE, variantIn } from './message.ts'
import { refuseLosing, refuseMixed, transfersOf } from './order.ts'
import { formatTerms } from './terms.ts'

export function prepare(chain: TonChain, order: Order, replaces: SignedTransfer | null): Promise<PreparedTransfer> {
  const transfers = transfersOf(chain, order)
  refuseMixed(transfers, replaces !== null)
  refuseLosing(chain, transfers, replaces !== null)
  return chain.rpc.use(async (node) => {
    const state = await node.ask(accountState(chain.treasury.address))
    if (isAhead(chain, state.time)) throw new NodeFailure(`node ${node.name} is ahead of our own clock`)
    refuseUncovered(chain, transfers, state)
    const wallets = await coveringWallets(chain, node, transfers)
    return formatTerms({
      time: state.time,
      isDeployed: state.isActive,
      variant: replaces ? variantIn(replaces.bytes) + 1 : 0,
      wallets,
    })
  })
}

function refuseUncovered({ settings }: TonChain, transfers: readonly Transfer[], { balance }: AccountState): void {
  const batch = transfers.length === 1 ? 0n : BATCH_VALUE + MOST_PER_MESSAGE
  const needed = transfers.reduce(
    (sum, { amount: { token, units } }) =>
      sum + MOST_PER_MESSAGE + (token.contract === null ? units : settings.jettonValue),
    batch,
  )
  if (balance < needed) throw new TreasuryShort(`the treasury holds ${balance} of ${needed} nanotons needed`)
}

/** The treasury's jetton wallet for every sent token, each with enough balance. */
async function coveringWallets(
  { jettons, treasury, ownWallets }: TonChain,
  node: Node,
  transfers: readonly Transfer[],
): Promise<Record<Address, Address>> {
  const needed = new Map<Address, bigint>()
  for (const { amount } of transfers) {
    const { contract } = amount.token
    if (contract !== null) needed.set(contract, (needed.get(contract) ?? 0n) + amount.units)
  }
  const wallets: Record<Address, Address> = {}
  for (const [master, units] of needed) {
    const wallet = ownWallets.get(master) ?? (await jettons.walletOf(node, master, treasury.address))
    const held = await jettonUnits(node, wallet)
    if (held < units) throw new TreasuryShort(`the treasury holds ${held} of ${units} units of ${master}`)
    wallets[master] = wallet
  }
  return wallets
}

/** Assembles the adapter from its parts. */
import type { Address, Amount, ChainAdapter, Token } from '@causeway/core'
import { addressOf, isUnpayable, NATIVE_ADDRESS, parseAddress } from './address.ts'
import type { OpenChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import type { Node } from './node/node.ts'
import { fees } from './paying/fees.ts'
import { broadcast, maxSigningCost, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { nonceOf } from './paying/slot.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { depositKey } from './paying/treasury.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'
import { readSettings } from './settings.ts'

export function adapterOf(chain: OpenChain): ChainAdapter {
  const { network, node, signer, treasury } = chain
  return {
    network,
    treasury,
    nativeAddress: NATIVE_ADDRESS,
    parseAddress,
    isUnpayable: (address) => isUnpayable(network, address),
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: (_order, _draft, taken) => nextSlot(chain, taken),
    ordering: { slotOrdinal: nonceOf },
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => maxSigningCost(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (transfer) => status(chain, transfer),
    sweptBy: (sweep, token) => sweptBy(chain, sweep, token),
    fees: () => fees(node, readSettings(network)),
    balance: (owner, token) => balance(node, owner, token),
    agreedBalance: (owner, token) => balance(node, owner, token),
    balances: (wanted) => node.holdings(wanted.map(({ owner, token }) => ({ owner, contract: token.contract }))),
    nodeHealth: () => [],
    references: {},
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: verifyMessage },
    nfts: { isHeldBy: async (contract, owner) => (await node.balance(owner, contract)) > 0n },
    depositAddresses: { derive: async (index, branch) => addressOf(await signer.publicKey(depositKey(index, branch))) },
  }
}

async function balance(node: Node, owner: Address, token: Token): Promise<Amount> {
  return { token, units: await node.balance(owner, token.contract) }
}

/** Assembles the adapter from its parts. */
import type { ChainAdapter } from '@causeway/core'
import { isUnpayable, naming } from './address.ts'
import type { ZkSyncChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { agreedBalanceOf, balanceOf, holdings } from './paying/balance.ts'
import { fees } from './paying/fees.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { nonceOf } from './paying/slot.ts'
import { status } from './paying/status.ts'
import { blockTime } from './scanning/block-time.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

export function adapterOf(chain: ZkSyncChain): ChainAdapter {
  const { network, settings, rpc, treasury } = chain
  return {
    ...naming,
    network,
    treasury,
    isUnpayable,
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    scansPresentTreasuryOnly: true,
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (_order, draft, taken) => nextSlot(draft, taken),
    ordering: { slotOrdinal: (slot) => BigInt(nonceOf(slot)) },
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await balanceOf(chain, owner) }),
    agreedBalance: async (owner, token) => ({ token, units: await agreedBalanceOf(chain, owner) }),
    balances: (wanted) => holdings(chain, wanted),
    references: { bits: 28 },
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: verifyMessage },
    // The first payout also sets the account's key, which costs this much.
    allowances: { rentUnitsPerDay: 0n, setupUnits: settings.maxFee, receiptUnits: 0n },
    nodeHealth: () => rpc.health(),
  }
}

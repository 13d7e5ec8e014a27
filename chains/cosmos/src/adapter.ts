/** Assembles the adapter from its parts. */
import type { ChainAdapter } from '@causeway/core'
import { isUnpayable, namingFor } from './address.ts'
import type { CosmosChain } from './chain.ts'
import { depositActions } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { agreedUnits, balances, unitsOf } from './paying/balance.ts'
import { fees } from './paying/fees.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { MAX_SOURCES, MAX_TRANSFERS } from './paying/order.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { numberOf } from './paying/slot.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { depositAddress } from './paying/treasury.ts'
import { blockTime } from './scanning/block-time.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

export function adapterOf(chain: CosmosChain): ChainAdapter {
  const { network, settings, signer, treasury } = chain
  return {
    ...namingFor(settings.prefix),
    network,
    treasury,
    isUnpayable,
    depositAction: depositActions(chain),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'by-fee',
    prepare: async (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (_order, draft, taken) => nextSlot(chain, draft, taken),
    ordering: { slotOrdinal: numberOf },
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent, signedBefore) => status(chain, sent, signedBefore),
    sweptBy: async (sweep, token) => sweptBy(chain, sweep, token),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await unitsOf(chain, owner, token) }),
    agreedBalance: async (owner, token) => ({ token, units: await agreedUnits(chain, owner, token) }),
    balances: (wanted) => balances(chain, wanted),
    references: {},
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: (claim) => verifyMessage(settings, claim) },
    batch: { maxTransfers: MAX_TRANSFERS },
    depositAddresses: {
      derive: (index, branch) => depositAddress(signer, settings, index, branch),
      maxSources: MAX_SOURCES,
    },
    nodeHealth: () => chain.rpc.health(),
  }
}

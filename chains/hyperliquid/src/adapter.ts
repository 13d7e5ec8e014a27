/** Assembles the adapter from its parts. */
import type { ChainAdapter } from '@causeway/core'
import { naming } from './address.ts'
import type { HyperliquidChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { noiseOf } from './node/amounts.ts'
import { holdings, unitsOf } from './paying/balance.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { nextSlot } from './paying/next-slot.ts'
import { isUnpayable, SOURCES } from './paying/order.ts'
import { broadcast, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { NONCE_LIFE_MS } from './paying/slot.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { blockTime } from './scanning/block-time.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

/**
 * How long bytes can still be posted: while their nonce is valid, and a margin because block times may be slightly off.
 */
const LINGER_MS = NONCE_LIFE_MS + 3_600_000

export function adapterOf(chain: HyperliquidChain): ChainAdapter {
  const { network, settings, treasury, rpc } = chain
  const { activationFee, sweepFee } = settings
  return {
    ...naming,
    network,
    treasury,
    isUnpayable: (address) => isUnpayable(chain, address),
    depositAction: async (request) => depositAction(request, treasury),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: async (block) => blockTime(block) },
    replacement: 'by-fee',
    prepare: async (order, replaces) => prepare(chain, order, replaces),
    nextSlot: (order, draft, taken) => nextSlot(chain, order, draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent, signedBefore) => status(chain, sent, signedBefore),
    sweptBy: (sweep) => sweptBy(chain, sweep),
    // Transfers are free except to accounts that were never paid before, which is only known at payment time.
    fees: async () => ({ nativeTransfer: activationFee, tokenTransfer: activationFee, sweep: sweepFee }),
    balance: async (owner, token) => ({ token, units: await rpc.use((node) => unitsOf(chain, node, owner, token)) }),
    agreedBalance: async (owner, token) => ({
      token,
      units: await rpc.agreedByTwo((node) => unitsOf(chain, node, owner, token), String),
    }),
    balanceNoise: noiseOf,
    balances: (wanted) => rpc.use((node) => holdings(chain, node, wanted)),
    audit: { movements: async (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: verifyMessage },
    lateTransactions: { maxForgottenTxAgeMs: LINGER_MS },
    depositAddresses: { derive: (index, branch) => chain.derive(index, branch), maxSources: SOURCES },
    nodeHealth: () => rpc.health(),
  }
}

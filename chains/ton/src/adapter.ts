/** Assembles the adapter from its parts. */
import type { ChainAdapter } from '@causeway/core'
import { namingFor } from './address.ts'
import type { TonChain } from './chain.ts'
import { depositActionFor } from './depositing/jetton-deposit.ts'
import { holdings, unitsOf } from './paying/balance.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { isUnpayable, MAX_TRANSFERS } from './paying/order.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { TIMEOUT } from './paying/treasury.ts'
import { blockTime } from './scanning/block-time.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

/**
 * An idle account's rent per day, and the gas of some incoming messages that are not deposits: a twentieth of a coin.
 */
const RENT_UNITS_PER_DAY = 50_000_000n
/** The gas of one incoming message, plus a margin of a half. */
const RECEIPT_UNITS = 600_000n

export function adapterOf(chain: TonChain): ChainAdapter {
  const { network, settings, rpc, jettons } = chain
  const { nativeFee: nativeTransfer, jettonFee: tokenTransfer } = settings
  return {
    ...namingFor(settings),
    network,
    treasury: chain.treasury.address,
    isUnpayable: (address) => isUnpayable(chain, address),
    depositAction: (request) => depositActionFor(chain, request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    scansPresentTreasuryOnly: true,
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'by-fee',
    prepare: async (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (_order, draft, taken) => nextSlot(draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    // Gas has a fixed price here, changed by vote once in years: no node is asked.
    fees: async () => ({ nativeTransfer, tokenTransfer, sweep: tokenTransfer }),
    // The wallet contract accepts a signed message until it expires.
    lateTransactions: { maxForgottenTxAgeMs: TIMEOUT * 1000 },
    allowances: { rentUnitsPerDay: RENT_UNITS_PER_DAY, setupUnits: 0n, receiptUnits: RECEIPT_UNITS },
    batch: { maxTransfers: MAX_TRANSFERS },
    balance: async (owner, token) => ({ token, units: await rpc.use((node) => unitsOf(jettons, node, owner, token)) }),
    agreedBalance: async (owner, token) => ({
      token,
      units: await rpc.agreedByTwo((node) => unitsOf(jettons, node, owner, token), String),
    }),
    balances: (wanted) => rpc.use((node) => holdings(jettons, node, wanted)),
    references: {},
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    nodeHealth: () => rpc.health(),
  }
}

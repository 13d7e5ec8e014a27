/** Assembles the adapter from its parts. */

import type { ChainAdapter } from '@causeway/core'
import { isKeyless, parseAddress } from './address.ts'
import type { StarknetChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { header } from './node/calls.ts'
import { agreedUnits, holdings, unitsOf } from './paying/balance.ts'
import { fees } from './paying/fees.ts'
import { missingSetup } from './paying/missing-setup.ts'
import { broadcast, maxSigningCost, nextSlot, nonceOf, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'

export function adapterOf(chain: StarknetChain): ChainAdapter {
  const { network, treasury, settings, profile, kind } = chain
  const tokens = network.tokens.map(({ contract }) => contract ?? settings.feeToken)
  const contracts = new Set([...tokens, ...profile.contracts, settings.watchdog, settings.feeToken])
  return {
    nativeAddress: kind.nativeAddress,
    parseAddress,
    network,
    treasury,
    isUnpayable: (address) => isKeyless(address) || contracts.has(address),
    depositAction: async (request) => depositAction(chain, request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: ({ hash }) => chain.rpc.use(async (node) => (await node.ask([header({ hash })]))[0].time) },
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (_order, draft, taken) => nextSlot(chain, draft, taken),
    ordering: { slotOrdinal: nonceOf },
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => maxSigningCost(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await unitsOf(chain, owner, token) }),
    agreedBalance: async (owner, token) => ({ token, units: await agreedUnits(chain, owner, token) }),
    balances: (wanted) => holdings(chain, wanted),
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: (claim) => verifyMessage(chain, claim) },
    batch: { maxTransfers: settings.maxTransfers },
    // Only the watchdog contract can record a reference, so without it there are no references.
    ...(settings.watchdog === null ? {} : { references: {} }),
    nodeHealth: () => chain.rpc.health(),
    setup: { missing: () => missingSetup(chain) },
    walletContracts: {
      byName: () => ({ watchdog_contract: settings.watchdog }),
      native: settings.feeToken,
    },
  }
}

/** Assembles the adapter from its parts. */

import type { ChainAdapter, HeadSubscription } from '@causeway/core'
import { address, isOffCurveAddress } from '@solana/kit'
import { isKeyless, naming } from './address.ts'
import type { SolanaChain } from './chain.ts'
import { depositActions } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { fees } from './paying/fees.ts'
import { missingSetup } from './paying/missing-setup.ts'
import { MAX_SWEEP_SOURCES, MAX_TRANSFERS } from './paying/order.ts'
import { broadcast, maxSigningCost, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { addressOf, depositKey } from './paying/treasury.ts'
import { blockTime } from './scanning/block-time.ts'
import { listenForTouches } from './scanning/change-feed.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scanBySignatures } from './scanning/signatures.ts'
import { scan } from './scanning/watch.ts'
import { holdings, unitsOf } from './tokens.ts'

/** How long nodes rebroadcast a transaction. A durable nonce never expires. */
const LINGER_MS = 10 * 60_000

export function adapterOf(chain: SolanaChain): ChainAdapter {
  const { network, treasury, signer, programs } = chain
  const notWallets = new Set([...chain.nonces, ...chain.tokens.keys()])
  return {
    ...naming,
    network,
    treasury,
    isUnpayable: (address) => isKeyless(address) || notWallets.has(address),
    depositAction: depositActions(chain),
    scan: (cursor, ours) => {
      const bySignatures = chain.settings.scan === 'signatures' && ours.pollCandidates !== undefined
      return bySignatures ? scanBySignatures(chain, cursor, ours) : scan(chain, cursor, ours)
    },
    ...(chain.settings.subscribe ? { headFeed: hintsOf(chain) } : {}),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: (_order, _draft, taken) => nextSlot(chain, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => maxSigningCost(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent) => status(chain, sent),
    sweptBy: async (sweep, token) => sweptBy(sweep, token),
    fees: () => fees(chain),
    balance: async (owner, token) => ({
      token,
      units: await chain.rpc.use((node) => unitsOf(node, programs, owner, token)),
    }),
    agreedBalance: async (owner, token) => ({
      token,
      units: await chain.rpc.agreedByTwo((node) => unitsOf(node, programs, owner, token), String),
    }),
    balances: (wanted) => chain.rpc.use((node) => holdings(node, programs, wanted)),
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: verifyMessage },
    nodeHealth: () => chain.rpc.health(),
    setup: { missing: () => missingSetup(chain) },
    lateTransactions: { maxForgottenTxAgeMs: LINGER_MS },
    // An off-curve address belongs to a program: it has no key, and the transaction that moves its money may carry any
    // memo.
    references: { canNameSwap: async (sender) => !isOffCurveAddress(address(sender)) },
    batch: { maxTransfers: MAX_TRANSFERS },
    depositAddresses: {
      derive: (index, branch) => addressOf(signer, depositKey(index, branch)),
      maxSources: MAX_SWEEP_SOURCES,
    },
  }
}

function hintsOf(chain: SolanaChain): HeadSubscription {
  return { announces: 'hints', subscribe: (listener) => listenForTouches(chain, listener) }
}

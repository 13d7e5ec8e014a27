/** Assembles the adapter from its parts. */
import type { Address, ChainAdapter, HeadSubscription } from '@causeway/core'
import { isGrave, NATIVE_ADDRESS, parseAddress, publicKeyAddress } from './address.ts'
import type { BitcoinChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { blockTime } from './node/calls.ts'
import { agreedUnits, holdings } from './paying/balance.ts'
import { fees } from './paying/fees.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { spendableUnits, waitingSpenders } from './paying/utxos.ts'
import { listenForBlocks } from './scanning/change-feed.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'
import { depositKey } from './settings.ts'

/** Some 3,400 vbytes of outputs: far below the 100,000 that nodes relay, and cheap to replace as a whole. */
const MAX_TRANSFERS = 100

/**
 * How long a transaction that our nodes have dropped may still be in a miner's mempool. One with a good fee hardly
 * stays longer.
 */
const MAX_FORGOTTEN_TX_AGE_MS = 24 * 3_600_000

export function adapterOf(chain: BitcoinChain): ChainAdapter {
  const { network, treasury, prefixes, settings, signer } = chain
  return {
    network,
    treasury,
    nativeAddress: NATIVE_ADDRESS,
    parseAddress: (text) => parseAddress(text, prefixes),
    isUnpayable: (address) => isGrave(address, prefixes),
    depositAction: async (request) => depositAction(request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    ...(settings.longPoll ? { headFeed: hintsOf(chain) } : {}),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: ({ hash }) => chain.rpc.use(async (node) => (await node.ask([blockTime(hash)]))[0]) },
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (order, draft, taken) => nextSlot(chain, order, draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent, signedBefore) => status(chain, sent, signedBefore),
    sweptBy: (sweep, token) => sweptBy(chain, sweep, token),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await unitsOf(chain, owner) }),
    agreedBalance: async (owner, token) => ({ token, units: await agreedUnits(chain, owner) }),
    balances: (wanted) => holdings(chain, wanted),
    references: {},
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    lateTransactions: {
      maxForgottenTxAgeMs: MAX_FORGOTTEN_TX_AGE_MS,
      // One node may have dropped a transaction that another still has: ask each of them.
      mempoolTransactions: async (account) =>
        (await chain.rpc.every((node) => waitingSpenders(chain, node, account))).flat(),
    },
    nodeHealth: () => chain.rpc.health(),
    messages: { verify: async (claim) => verifyMessage(prefixes, claim) },
    batch: { maxTransfers: MAX_TRANSFERS },
    depositAddresses: {
      derive: async (index, branch = 0) =>
        publicKeyAddress(await signer.publicKey(depositKey(settings.chain, { index, branch })), prefixes),
    },
  }
}

function unitsOf(chain: BitcoinChain, owner: Address): Promise<bigint> {
  return chain.rpc.use((node) => spendableUnits(chain, node, owner))
}

function hintsOf(chain: BitcoinChain): HeadSubscription {
  return { announces: 'hints', subscribe: (listener) => listenForBlocks(chain, listener) }
}

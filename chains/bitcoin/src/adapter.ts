/** The port, put together from its parts. */
import type { Address, ChainAdapter } from '@causeway/core'
import { isGrave, NATIVE_ADDRESS, parseAddress, publicKeyAddress } from './address.ts'
import type { BitcoinChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { blockTime } from './node/calls.ts'
import { holdings } from './paying/balance.ts'
import { fees } from './paying/fees.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { spendableUnits, waitingSpenders } from './paying/utxos.ts'
import { listenForBlocks } from './scanning/change-feed.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'
import { depositKey } from './settings.ts'

/** Some 3,400 vbytes of outputs: far below the 100,000 that nodes relay, and cheap to replace as a whole. */
const MAX_TRANSFERS = 100

/** What no node of ours knows any more may still wait at a miner's. Hardly anything that was sent at a good fee does for longer. */
const LINGER_MS = 24 * 3_600_000

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
    ...(settings.longPoll ? { onNews: (listener: () => void) => listenForBlocks(chain, listener) } : {}),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTime: ({ hash }) => chain.rpc.use(async (node) => (await node.ask([blockTime(hash)]))[0]),
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (order, draft, taken) => nextSlot(chain, order, draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    exposure: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent, signedBefore) => status(chain, sent, signedBefore),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await unitsOf(chain, owner) }),
    balances: (wanted) => holdings(chain, wanted),
    movements: (account, from, to) => movements(chain, account, from, to),
    // One may have lost what waited there: each is asked.
    waiting: async (account) => (await chain.rpc.every((node) => waitingSpenders(chain, node, account))).flat(),
    lingerMs: LINGER_MS,
    nodes: () => chain.rpc.health(),
    verifyMessage: async (claim) => verifyMessage(prefixes, claim),
    batch: { maxTransfers: MAX_TRANSFERS },
    depositAddresses: {
      derive: async (index) => publicKeyAddress(await signer.publicKey(depositKey(settings.chain, index)), prefixes),
    },
  }
}

function unitsOf(chain: BitcoinChain, owner: Address): Promise<bigint> {
  return chain.rpc.use((node) => spendableUnits(chain, node, owner))
}

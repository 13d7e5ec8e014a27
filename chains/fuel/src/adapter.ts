/** Assembles the adapter from its parts. */
import { type Address, type BlockRef, type ChainAdapter, RetryLater } from '@causeway/core'
import { isGrave, keyAddress, naming } from './address.ts'
import type { FuelChain } from './chain.ts'
import { depositAction } from './depositing/deposit.ts'
import { verifyMessage } from './depositing/verify-message.ts'
import { blockSeconds, thingsAt } from './node/calls.ts'
import { fees } from './paying/fees.ts'
import { isOverEverywhere } from './paying/invalidation.ts'
import { exposureOf } from './paying/max-signing-cost.ts'
import { broadcast, nextSlot, sign } from './paying/pay.ts'
import { prepare } from './paying/prepare.ts'
import { status } from './paying/status.ts'
import { sweptBy } from './paying/swept.ts'
import { agreedUnits, holdings, unitsHeld } from './paying/utxos.ts'
import { inspect } from './scanning/inspect.ts'
import { movements } from './scanning/movements.ts'
import { scan } from './scanning/watch.ts'
import { depositKey } from './settings.ts'

/** Nodes accept 255 outputs; change and splits of each asset come in addition to the payments. */
const MAX_TRANSFERS = 100
/** Each address signs for itself, and nodes accept 255 witnesses. */
const MAX_SOURCES = 100

const BLOCK_MS = 1_000

export function adapterOf(chain: FuelChain): ChainAdapter {
  const { network, treasury, signer, settings } = chain
  return {
    ...naming,
    network,
    treasury,
    isUnpayable: (address) => isGrave(chain, address),
    depositAction: async (request) => depositAction(chain, request),
    scan: (cursor, ours) => scan(chain, cursor, ours),
    inspect: (txHash, ours) => inspect(chain, txHash, ours),
    blockTimes: { timeOf: (block) => blockTime(chain, block) },
    replacement: 'by-fee',
    prepare: (order, replaces) => prepare(chain, order, replaces),
    nextSlot: async (order, draft, taken) => nextSlot(chain, order, draft, taken),
    sign: (order, slot, draft) => sign(chain, order, slot, draft),
    maxSigningCost: (order, slot, draft) => exposureOf(chain, order, slot, draft),
    slotExpiry: { hasExpired: (slot) => isOverEverywhere(chain, slot) },
    broadcast: (signed) => broadcast(chain, signed),
    status: (sent, signedBefore) => status(chain, sent, signedBefore),
    sweptBy: async (sweep, token) => sweptBy(chain, sweep, token),
    fees: () => fees(chain),
    balance: async (owner, token) => ({ token, units: await unitsHeld(chain, owner, token) }),
    agreedBalance: async (owner, token) => ({ token, units: await agreedUnits(chain, owner, token) }),
    balances: (wanted) => holdings(chain, wanted),
    audit: { movements: (account, from, to) => movements(chain, account, from, to) },
    messages: { verify: async (claim) => verifyMessage(claim) },
    accounts: { isContract: (address) => isContract(chain, address) },
    // Only the watchdog contract can record a reference, so without it there are no references.
    ...(settings.watchdog === null ? {} : { references: {} }),
    // A transaction may be mined until its last block; blocks may be late, so the time is doubled.
    lateTransactions: { maxForgottenTxAgeMs: 2 * Number(settings.expiresAfter) * (network.blockMs ?? BLOCK_MS) },
    batch: { maxTransfers: MAX_TRANSFERS },
    depositAddresses: {
      derive: async (index, branch = 0) => keyAddress(await signer.publicKey(depositKey({ index, branch }))),
      maxSources: MAX_SOURCES,
    },
    nodeHealth: () => chain.rpc.health(),
    walletContracts: { byName: () => ({ watchdog_contract: settings.watchdog }) },
    setup: {
      missing: async () =>
        settings.watchdog === null
          ? [
              {
                what: 'no watchdog contract is set',
                closes: ['wallet'],
                command: 'deploy the watchdog (chains/fuel/README.md) and set watchdog_contract in the network file',
              },
            ]
          : [],
    },
  }
}

async function isContract({ rpc }: FuelChain, address: Address): Promise<boolean> {
  return rpc.use(async (node) => {
    const [thing] = (await Promise.all(thingsAt([address]).map((query) => node.ask(query)))).flat()
    return thing === 'contract'
  })
}

/** TAI64: seconds of atomic time since 1970, leap seconds included, with the highest bit set. For display only. */
const TAI_OFFSET = 2n ** 62n + 37n

async function blockTime({ network, rpc }: FuelChain, { number, hash }: BlockRef): Promise<Date> {
  const found = await rpc.use((node) => node.ask(blockSeconds(number), number))
  if (found?.hash !== hash) throw new RetryLater(`${network.name}: block ${number} is not ${hash} now`)
  return new Date(Number(found.seconds - TAI_OFFSET) * 1_000)
}

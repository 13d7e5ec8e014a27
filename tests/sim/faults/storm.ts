/** Optional disasters of a run, each with its own switch: worse and rarer than the ordinary faults. */
import type { Catalogue, ChainAdapter, Depository, Family, Signer, Slot, Token } from '@causeway/core'
import { SignerRefusal } from '../../../server/src/keys/backends/refusal.ts'

export interface Storm {
  /** All nodes of a network are silent for a simulated day. */
  outages: boolean
  /** Nodes accept no transaction at the fee that they suggest, even at the end of a run. */
  refusedSends: boolean
  /** The signer refuses for a while. */
  signerRefusals: boolean
  /** A transaction that another party signs with our key uses a slot. It brings the coins for its own fee. */
  slotDeath: boolean
  /** After a reorg a transaction is re-mined under the same hash with other transfers. */
  relanding: boolean
  /** One network pays several recipients per transaction, and its slots have two parts. */
  batches: boolean
  /** A token is delisted or removed from the files, and the processes restart. */
  delisting: boolean
  /** An operator assigns unmatched deposits to swaps, or returns them. */
  unmatched: boolean
  /** Coins are stolen from a wallet: it must be halted. */
  theft: boolean
  /** The database is restored to an earlier state while no process runs. Then only double payments are checked. */
  restore: boolean
  /** Hundreds of transfers arrive at once. */
  crowds: boolean
  /** A campaign pays back half of the fees, per quarter of an hour. In every third run its budget runs out. */
  rewards: boolean
  /** A node reports a base fee that would cost more than most deposits, for a minute or two. */
  feeLies: boolean
  /** The price of a token is unknown for a while. */
  lostPrices: boolean
  /**
   * The database fails over to a standby that is behind, while the processes run. In every second run no counter is
   * compared: then the fences of the journal alone must hold.
   */
  failover: boolean
  /** After a restore one network is not configured for a while. Needs `restore`. */
  leftOut: boolean
  /** A restore comes with new keys: other wallets pay, the former ones keep their coins. Needs `restore`. */
  newKeys: boolean
  /** The clock of a process is hours ahead for a while. */
  clockAhead: boolean
  /** An operator answers holds as they were shown some time ago. */
  lateAnswers: boolean
}

export type StormName = keyof Storm

export const CALM: Storm = {
  outages: false,
  refusedSends: false,
  signerRefusals: false,
  slotDeath: false,
  relanding: false,
  batches: false,
  delisting: false,
  unmatched: false,
  theft: false,
  restore: false,
  crowds: false,
  rewards: false,
  feeLies: false,
  lostPrices: false,
  failover: false,
  leftOut: false,
  newKeys: false,
  clockAhead: false,
  lateAnswers: false,
}

export const STORM_NAMES = Object.keys(CALM) as StormName[]

/** Part of every run, unless a run tests a single guard or fault. */
const ALWAYS: readonly StormName[] = ['signerRefusals', 'batches', 'unmatched']
/**
 * Each seed has one of these sets, so that no run has all of them. Not included are disasters that break a run's own
 * promises: a day-long outage delays everything, and a theft halts a wallet.
 */
const IN_TURN: readonly (readonly StormName[])[] = [
  ['relanding'],
  ['slotDeath', 'feeLies'],
  ['refusedSends', 'lostPrices'],
  ['delisting', 'relanding'],
  ['crowds', 'rewards'],
  ['restore'],
  ['failover'],
  ['clockAhead', 'lateAnswers'],
  ['restore', 'leftOut'],
]

/** The storms that the code must survive with this seed. */
export function withstoodBy(seed: number): Storm {
  return stormWith([...ALWAYS, ...(IN_TURN[seed % IN_TURN.length] ?? [])])
}

/** The storms of a seed, plus these. */
export function stormOf(names: readonly string[], seed: number): Storm {
  const unknown = names.find((name) => !STORM_NAMES.includes(name as StormName))
  if (unknown !== undefined) throw new Error(`there is no storm ${unknown}; there are ${STORM_NAMES.join(', ')}`)
  return { ...withstoodBy(seed), ...Object.fromEntries(names.map((name) => [name, true])) }
}

/** Only these storms. */
export function stormWith(names: readonly StormName[]): Storm {
  return { ...CALM, ...Object.fromEntries(names.map((name) => [name, true])) }
}

/** The current state of the disasters, which a simulated process consults before each external call. */
export interface DisasterState {
  readonly storm: Storm
  /** Until when the nodes of a network are silent, in virtual milliseconds. */
  readonly downUntilMs: Map<string, number>
  refusesUntilMs: number
  /** Until when the node of a network reports a false fee, in virtual milliseconds. */
  readonly falseFeeUntilMs: Map<string, number>
  /** The token that was delisted. */
  unlisted: Token | null
  /** The catalogue for processes that start now, if the files no longer name that token or network; null for all. */
  catalogue: Catalogue | null
  /** The network that is not configured since a restore. */
  leftOut: string | null
  /** The seed of the keys that processes start with. */
  keys: string
  isDown(network: string): boolean
  refuses(): boolean
  reportsFalseFee(network: string): boolean
}

export function disasterStateOf(storm: Storm, elapsedMs: () => number): DisasterState {
  const disasters: DisasterState = {
    storm,
    downUntilMs: new Map(),
    refusesUntilMs: 0,
    falseFeeUntilMs: new Map(),
    unlisted: null,
    catalogue: null,
    leftOut: null,
    keys: 'services',
    isDown: (network) => elapsedMs() < (disasters.downUntilMs.get(network) ?? 0),
    refuses: () => elapsedMs() < disasters.refusesUntilMs,
    reportsFalseFee: (network) => elapsedMs() < (disasters.falseFeeUntilMs.get(network) ?? 0),
  }
  return disasters
}

/** The signer of the processes, which refuses while `refusesUntilMs` has not passed. */
export function refusingSigner(signer: Signer, { refuses }: DisasterState): Signer {
  return {
    ...signer,
    async sign(key, digest, intent) {
      if (refuses()) throw new SignerRefusal('not at this hour')
      return signer.sign(key, digest, intent)
    },
  }
}

/** Transfers per transaction on the network with batches. */
const MOST_TRANSFERS = 4
const BATCHING = 'BETA'
export const WITH_DEPOSITORY = 'ALPHA'

/**
 * As in `tests/support/service/services.ts`: one network has no deposit addresses, one has a depository, and one pays
 * batches if the storm enables it.
 */
export function familyIn(whole: Family, { storm, reportsFalseFee }: DisasterState): Family {
  return {
    ...whole,
    async open(options) {
      const adapter = await whole.open(options)
      if (options.network.name === 'GAMMA') delete adapter.depositAddresses
      if (options.network.name === WITH_DEPOSITORY) adapter.depository = depositoryOf(adapter)
      if (storm.feeLies) withFalseFees(adapter, () => reportsFalseFee(options.network.name))
      return storm.batches && options.network.name === BATCHING ? batching(adapter) : adapter
    },
  }
}

/** A thousand units of the coin cost nothing; this multiple of it costs more than most deposits are worth. */
const FALSE_FEE_FACTOR = 10n ** 14n

/** Like a family that trusts its node: the market and the rules must tolerate it. */
function withFalseFees(adapter: ChainAdapter, isActive: () => boolean): void {
  const { fees } = adapter
  adapter.fees = async () => {
    const told = await fees()
    const { nativeTransfer, tokenTransfer, sweep } = told
    if (!isActive()) return told
    return {
      nativeTransfer: nativeTransfer * FALSE_FEE_FACTOR,
      tokenTransfer: tokenTransfer * FALSE_FEE_FACTOR,
      sweep: sweep * FALSE_FEE_FACTOR,
    }
  }
}

/**
 * A depository that accepts deposits and names their swap; each becomes a transfer with a reference, like any other.
 */
function depositoryOf({ depositAction }: ChainAdapter): Depository {
  return { accepts: () => true, depositAction, report: async () => ({}), change: async () => [] }
}

/**
 * In addition to the nonce a slot names a UTXO, which the chain ignores and which must not be allocated twice either.
 */
function batching(adapter: ChainAdapter): ChainAdapter {
  const bare = ([nonce = '']: Slot): Slot => [nonce]
  const { ordering } = adapter
  return {
    ...adapter,
    batch: { maxTransfers: MOST_TRANSFERS },
    nextSlot: async (order, draft, taken) => {
      const slot = await adapter.nextSlot(order, draft, taken.map(bare))
      return [...slot, `coin ${slot[0]}`]
    },
    sign: (order, slot, draft) => adapter.sign(order, bare(slot), draft),
    ...(ordering && { ordering: { slotOrdinal: (slot) => ordering.slotOrdinal(bare(slot)) } }),
    maxSigningCost: (order, slot, draft) => adapter.maxSigningCost(order, bare(slot), draft),
    status: (transfer, signedBefore) => adapter.status({ ...transfer, slot: bare(transfer.slot) }, signedBefore),
  }
}

/** What else may befall a run, each by its own switch: worse and rarer than what always happens. */
import type { Catalogue, ChainAdapter, Depository, Family, Signer, Slot, Token } from '@causeway/core'
import { SignerRefusal } from '../../../server/src/keys/backends/refusal.ts'

export interface Storm {
  /** All nodes of a network are silent for a simulated day. */
  outages: boolean
  /** Nodes take no transfer for the fee that they name themselves, at the end of a run either. */
  refusedSends: boolean
  /** The signer says no for a while. */
  signerRefusals: boolean
  /** A transaction signed with our key by another party uses a slot. It brings the fee that it costs. */
  slotDeath: boolean
  /** After a reorg a transaction lands again under the same name and moves something else. */
  relanding: boolean
  /** One network pays several at once, and its slots have two parts. */
  batches: boolean
  /** A token is taken off the list, or out of the files, and the processes start again. */
  delisting: boolean
  /** A person gives unmatched deposits to swaps, or sends them back. */
  unmatched: boolean
  /** Coins leave a wallet by another hand: it must be halted. */
  theft: boolean
  /** The database is restored to an earlier state while no process runs. Then only double payments are checked. */
  restore: boolean
  /** Hundreds of transfers come at once. */
  crowds: boolean
  /** A campaign gives back half of the fees, a quarter of an hour at a time. In every third run its budget runs out. */
  rewards: boolean
  /** A node reports a base fee that would cost more than most deposits, for a minute or two. */
  feeLies: boolean
  /** The price of a token is unknown for a while. */
  lostPrices: boolean
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
}

export const STORM_NAMES = Object.keys(CALM) as StormName[]

/** Part of every run that is not about one guard or one fault. */
const ALWAYS: readonly StormName[] = ['signerRefusals', 'batches', 'unmatched']
/**
 * Of these each seed has its own, so that no run is about all of them at once. Not among them is what ends a run's own
 * promises: a day of silence makes everything late, and after a theft a wallet stands still.
 */
const IN_TURN: readonly (readonly StormName[])[] = [
  ['relanding'],
  ['slotDeath', 'feeLies'],
  ['refusedSends', 'lostPrices'],
  ['delisting', 'relanding'],
  ['crowds', 'rewards'],
  ['restore'],
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

/** How the storm stands now: what a life asks before it reaches outside. */
export interface Weather {
  readonly storm: Storm
  /** Until when the nodes of a network are silent, in virtual milliseconds. */
  readonly downUntilMs: Map<string, number>
  refusesUntilMs: number
  /** Until when the node of a network lies about its fee, in virtual milliseconds. */
  readonly feeLiesUntilMs: Map<string, number>
  /** The token that was taken off the list. */
  unlisted: Token | null
  /** The catalogue for processes that start now, if the files no longer name that token; null for all. */
  catalogue: Catalogue | null
  isDown(network: string): boolean
  refuses(): boolean
  liesAboutFee(network: string): boolean
}

export function weatherOf(storm: Storm, elapsedMs: () => number): Weather {
  const weather: Weather = {
    storm,
    downUntilMs: new Map(),
    refusesUntilMs: 0,
    feeLiesUntilMs: new Map(),
    unlisted: null,
    catalogue: null,
    isDown: (network) => elapsedMs() < (weather.downUntilMs.get(network) ?? 0),
    refuses: () => elapsedMs() < weather.refusesUntilMs,
    liesAboutFee: (network) => elapsedMs() < (weather.feeLiesUntilMs.get(network) ?? 0),
  }
  return weather
}

/** The signer of the processes, which says no while it refuses. */
export function moody(signer: Signer, { refuses }: Weather): Signer {
  return {
    ...signer,
    async sign(key, digest, intent) {
      if (refuses()) throw new SignerRefusal('not at this hour')
      return signer.sign(key, digest, intent)
    },
  }
}

/** Transfers that one transaction of the network with batches makes. */
const MOST_TRANSFERS = 4
const BATCHING = 'BETA'
export const WITH_DEPOSITORY = 'ALPHA'

/**
 * As in `tests/support/service/services.ts`: one network has no deposit addresses, one has a depository, and one pays
 * batches if the storm enables it.
 */
export function familyIn(whole: Family, { storm, liesAboutFee }: Weather): Family {
  return {
    ...whole,
    async open(options) {
      const adapter = await whole.open(options)
      if (options.network.name === 'GAMMA') delete adapter.depositAddresses
      if (options.network.name === WITH_DEPOSITORY) adapter.depository = depositoryOf(adapter)
      if (storm.feeLies) lying(adapter, () => liesAboutFee(options.network.name))
      return storm.batches && options.network.name === BATCHING ? batching(adapter) : adapter
    },
  }
}

/** A thousand units of the coin cost nothing; this often as much costs more than most deposits are worth. */
const LIE = 10n ** 14n

/** As of a family that believes its node: the market and the rules must bear it. */
function lying(adapter: ChainAdapter, lies: () => boolean): void {
  const { fees } = adapter
  adapter.fees = async () => {
    const told = await fees()
    const { nativeTransfer, tokenTransfer, sweep } = told
    if (!lies()) return told
    return { nativeTransfer: nativeTransfer * LIE, tokenTransfer: tokenTransfer * LIE, sweep: sweep * LIE }
  }
}

/** Takes deposits for us and names their swap itself; what comes of one is a transfer with a reference, as of any other. */
function depositoryOf({ depositAction }: ChainAdapter): Depository {
  return { accepts: () => true, depositAction, report: async () => ({}), change: async () => [] }
}

/** Beside the nonce a slot names a coin, which means nothing to the chain and must not be handed out twice either. */
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
    status: (transfer) => adapter.status({ ...transfer, slot: bare(transfer.slot) }),
  }
}

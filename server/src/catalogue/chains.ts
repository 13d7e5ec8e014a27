/** The only file that loads families: by the type in the network file, on first use. */
import {
  type Catalogue,
  type ChainAdapter,
  type ChainLog,
  type Family,
  type Network,
  type NetworkType,
  RetryLater,
  type Signer,
  type UtxoSet,
} from '@causeway/core'

/** Called for every request to a network's nodes. */
type Traffics = (network: Network) => { spent(method: string): void }

export type Families = (type: NetworkType) => Promise<Family>

/** The family's package is not installed: its networks are left out, and the service runs without them. */
export class FamilyMissing extends Error {
  override name = 'FamilyMissing'
}

export const loadFamily: Families = async (type) => {
  const name = `@causeway/${type}`
  const module: { family: Family } = await import(name).catch((error: Error & { code?: string }) => {
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(`'${name}'`)
    throw isMissing ? new FamilyMissing(`the family ${type} is not installed`) : error
  })
  return module.family
}

/** Families that the operator selected; networks of all others are left out as if they were not installed. */
export function onlyFamilies(wanted: readonly NetworkType[] | undefined, families: Families = loadFamily): Families {
  return async (type) => {
    if (wanted && !wanted.includes(type)) throw new FamilyMissing(`FAMILIES leaves ${type} out`)
    return families(type)
  }
}

export type Chains = ReadonlyMap<string, ChainAdapter>

export async function openChains(
  catalogue: Catalogue,
  families: Families,
  signer: Signer,
  log: ChainLog,
  traffics?: Traffics,
  coins?: (network: string) => UtxoSet,
): Promise<Chains> {
  const opened = await Promise.all(
    catalogue.networks.map(async (network) => {
      const family = await families(network.type)
      const spent = traffics?.(network).spent
      const kept = coins && { coins: coins(network.name) }
      const chain = await family.open({ network, signer, log, ...kept, ...(spent ? { spent } : {}) })
      return [network.name, reviewed(chain, signer)] as const
    }),
  )
  return new Map(opened)
}

/** A signer with a policy is asked before an order gets a slot: one that it refuses must not block those behind it. */
function reviewed(chain: ChainAdapter, signer: Signer): ChainAdapter {
  if (!signer.review) return chain
  return {
    ...chain,
    async prepare(order, replaces, effort) {
      if (!replaces) await signer.review?.(chain.network.name, order)
      return chain.prepare(order, replaces, effort)
    },
  }
}

/** Whether deposit addresses of this network can be given out: the contract that sweeps them must be deployed first. */
export function offersAddresses(chain: ChainAdapter | undefined): boolean {
  return chain?.depositAddresses !== undefined && (chain.depositAddresses.isReady?.() ?? true)
}

/**
 * How a deposit can be made now. Without a reference in transfers, a transfer cannot be matched. An empty list means
 * that the network is not a source.
 */
export function depositMethods(chain: ChainAdapter | undefined): ('wallet' | 'deposit_address')[] {
  return [
    ...(chain?.references ? ['wallet' as const] : []),
    ...(offersAddresses(chain) ? ['deposit_address' as const] : []),
  ]
}

/** The adapter of a network that may have been taken out of the catalogue while work for it was waiting. */
export function chainOf(chains: Chains, network: string): ChainAdapter {
  const chain = chains.get(network)
  if (!chain) throw new RetryLater(`the network ${network} is not configured`)
  return chain
}

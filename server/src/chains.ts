/** The one place that loads families: by the type that a network file names, on first need. */
import {
  type Catalogue,
  type ChainAdapter,
  type ChainLog,
  type Family,
  type NetworkType,
  RetryLater,
  type Signer,
} from '@causeway/core'

export type Families = (type: NetworkType) => Promise<Family>

export const loadFamily: Families = async (type) => {
  const module: { family: Family } = await import(`@causeway/${type}`)
  return module.family
}

export type Chains = ReadonlyMap<string, ChainAdapter>

export async function openChains(
  catalogue: Catalogue,
  families: Families,
  signer: Signer,
  log: ChainLog,
): Promise<Chains> {
  const opened = await Promise.all(
    catalogue.networks.map(async (network) => {
      const family = await families(network.type)
      return [network.name, await family.open({ network, signer, log })] as const
    }),
  )
  return new Map(opened)
}

/** The adapter of a network that may have been taken out of the catalogue while work for it was waiting. */
export function chainOf(chains: Chains, network: string): ChainAdapter {
  const chain = chains.get(network)
  if (!chain) throw new RetryLater(`the network ${network} is not configured`)
  return chain
}

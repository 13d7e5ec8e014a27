/** Checks that a signature for one network cannot be replayed on another, before one signer serves both. */
import type { Catalogue } from '@causeway/core'
import type { Families } from '../../catalogue/chains.ts'
import { ConfigError } from '../../config.ts'

/** Throws if two networks of one family share a replay domain (for example the chain id), or if one has none. */
export async function refuseSharedDomains({ networks }: Catalogue, families: Families): Promise<void> {
  const domains = new Map<string, string>()
  for (const network of networks) {
    const family = await families(network.type)
    const domain = `${network.type} ${family.domain?.(network) ?? network.name}`
    const other = domains.get(domain)
    if (other !== undefined) {
      throw new ConfigError(
        `what is signed for ${network.name} would be good on ${other} too: give each a signer, and a phrase, of its own`,
      )
    }
    domains.set(domain, network.name)
  }
}

/** Whether what one network's key signs could be used on another: asked before a signer serves them together. */
import type { Catalogue } from '@causeway/core'
import type { Families } from '../../catalogue/chains.ts'
import { ConfigError } from '../../config.ts'

/** Throws where two networks of one family do not tell their signatures apart: two names of one chain, or no name of it at all. */
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

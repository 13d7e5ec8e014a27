/** The market as the service sees it, for commands: stored fees and balances, present prices, limits and switches. */
import { readCatalogue, withNodes } from '../../catalogue/catalogue.ts'
import { onlyFamilies, openChains } from '../../catalogue/chains.ts'
import { readRouteRules } from '../../catalogue/routes.ts'
import { type Config, isKeyless, listedNetworks } from '../../config.ts'
import { openSigner } from '../../keys/backends/signer.ts'
import { readOnlySigner } from '../../keys/public-keys/public-key-store.ts'
import { createMarket } from '../../market/market.ts'
import { createSafeguards } from '../../market/safeguards.ts'
import { createLog } from '../../observe/log.ts'
import type { OfferSources } from '../../offer/quote-service.ts'
import { openPrices } from '../../prices/open.ts'
import type { Database } from '../../store/db/database.ts'
import { readKnown } from '../../store/market/known-assets.ts'

export async function openMarket(config: Config, database: Database): Promise<OfferSources> {
  const now = () => new Date()
  const log = createLog(config.logLevel)
  const families = onlyFamilies(config.families)
  const read = await readCatalogue(config.networksFolder, config.nodes, families)
  const catalogue = withNodes(read, () => undefined)
  const signer = await openSigner(config, isKeyless(config) ? readOnlySigner(database) : undefined)
  const chains = await openChains(catalogue, families, signer, log)
  const { tokens: known } = await readKnown(database)
  const listing = { files: listedNetworks(config.networksFolder), networks: catalogue.networks, known }
  const rules = readRouteRules(config.routesFile, listing, () => undefined)
  const prices = openPrices(config, log, now)
  const market = createMarket({ config, database, catalogue, chains, prices, rules, now })
  await Promise.all([market.readStored(), market.refreshPrices()])
  // Adopts the readings of the running service. No node is asked, and no lease is taken from it.
  for (const network of catalogue.networks) await market.adoptStored(network)
  const safeguards = createSafeguards({ config, database, catalogue, market, now })
  await safeguards.refresh()
  return { config, catalogue, chains, market, safeguards }
}

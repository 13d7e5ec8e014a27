/**
 * Opens the canary's wallets. They are the treasuries that the same families derive from another recovery phrase, so the
 * canary holds no key of the service.
 */
import { createClient } from '@causeway/sdk'
import { readCatalogue, withNodes } from '../../catalogue/catalogue.ts'
import { onlyFamilies, openChains } from '../../catalogue/chains.ts'
import { type Settings, withFile } from '../../config/file.ts'
import { parseConfig } from '../../config.ts'
import { openSigner } from '../../keys/backends/signer.ts'
import { createLog } from '../../observe/log.ts'
import { type Canary, UsageError } from '../context/command-context.ts'
import { planCanary } from './plan.ts'
import { type CanaryTools, runCanary } from './run-canary.ts'

export async function openCanary(given: Settings): Promise<Canary> {
  const { CANARY_KEYSTORE_FILE: file, CANARY_KEYSTORE_PASSWORD_FILE: password } = withFile(given).env
  if (!file || !password)
    throw new UsageError(
      'CANARY_KEYSTORE_FILE and CANARY_KEYSTORE_PASSWORD_FILE are needed: make a keystore for the canary alone',
    )
  // The service's signer settings are replaced: its keys are never opened here.
  const own = { SIGNER: 'keystore', KEYSTORE_FILE: file, KEYSTORE_PASSWORD_FILE: password, QUOTE_KEY_FILE: '' }
  const config = parseConfig({ ...given, ...own })
  const families = onlyFamilies(config.families)
  const catalogue = withNodes(await readCatalogue(config.networksFolder, config.nodes, families), () => undefined)
  const chains = await openChains(catalogue, families, await openSigner(config), createLog('error'))
  const url = config.canaryUrl ?? `http://127.0.0.1:${config.port}`
  return canaryOf({ client: createClient({ baseUrl: url }), chains }, config.canaryBudgetUsd)
}

export function canaryOf(tools: CanaryTools, budgetUsd: number): Canary {
  return {
    wallets: new Map([...tools.chains].map(([network, { treasury }]) => [network, treasury])),
    budgetUsd,
    async run({ networks, ...options }) {
      const listed = await tools.client.networks()
      const unknown = (networks ?? []).filter((name) => !listed.some((network) => network.name === name))
      if (unknown.length > 0) throw new UsageError(`the service lists no network ${unknown.join(', ')}`)
      const { swaps, untried } = planCanary(listed, networks && new Set(networks))
      const results = await runCanary(tools, swaps, options)
      const nothing = { destination: '', route: '', amount: '', usd: 0, swapId: null, seconds: 0 }
      return [
        ...results,
        ...untried.map(({ network, method, reason }) => ({
          ...{ ...nothing, source: network, method, state: 'not tried' as const, problem: reason },
        })),
      ]
    },
  }
}

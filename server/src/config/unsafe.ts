/**
 * Settings that are fine with worthless coins and refused with real ones. All are reported at once, each with the
 * keyword by which an operator accepts the risk.
 */
import { countProviders } from '@causeway/chain-kit'

export const ALLOWANCES = [
  'public-phrase',
  'mnemonic',
  'fixed-prices',
  'few-price-sources',
  'private-webhooks',
  'no-outflow-limit',
  'one-node',
] as const
export type Allowance = (typeof ALLOWANCES)[number]

/** With fewer sources, a wrong one cannot be outvoted. */
const LEAST_PRICE_SOURCES = 3
const LEAST_NODES = 2

export interface Circumstances {
  signer: string
  prices: readonly string[]
  allowPrivateWebhooks: boolean
  hasOutflowLimit: boolean
  /** Wallets whose keys come from a published mnemonic. */
  publicWallets: readonly string[]
  networks: readonly { name: string; nodes: readonly string[] }[]
}

/** Every risk that is not accepted, as a line for the operator. */
export function unsafeLines(here: Circumstances, allowed: readonly Allowance[]): string[] {
  return Object.entries(dangersOf(here))
    .filter(([word, problem]) => problem !== null && !allowed.some((one) => one === word))
    .map(([word, problem]) => `${problem} (ALLOW_ON_MAINNET=${word})`)
}

function dangersOf(here: Circumstances): Record<Allowance, string | null> {
  const sources = here.prices.filter((name) => name !== 'fixed')
  const alone = here.networks.filter(({ nodes }) => countProviders(nodes) < LEAST_NODES).map(({ name }) => name)
  return {
    'public-phrase': here.publicWallets.length
      ? `the recovery phrase is one that is published: anybody can empty the wallets of ${here.publicWallets.join(', ')}`
      : null,
    mnemonic:
      here.signer === 'mnemonic'
        ? 'SIGNER=mnemonic keeps the recovery phrase in the environment: use keystore, remote or kms'
        : null,
    'fixed-prices': here.prices.includes('fixed')
      ? 'PRICES=fixed pays by a file that nobody updates: name real sources'
      : null,
    'few-price-sources':
      sources.length > 0 && sources.length < LEAST_PRICE_SOURCES
        ? `PRICES names ${sources.length} of at least ${LEAST_PRICE_SOURCES} sources: one that is wrong could not be outvoted`
        : null,
    'private-webhooks': here.allowPrivateWebhooks
      ? 'ALLOW_PRIVATE_WEBHOOKS lets apps have your own network called'
      : null,
    'no-outflow-limit': here.hasOutflowLimit
      ? null
      : 'HOURLY_OUTFLOW_USD=none lets a fault empty the wallets in a minute',
    'one-node': alone.length
      ? `one node alone could invent deposits: name at least ${LEAST_NODES} of different providers in ${alone.map((name) => `NODES_${name}`).join(', ')}`
      : null,
  }
}

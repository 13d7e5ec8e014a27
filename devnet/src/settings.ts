/** The sandbox's default settings for the service. */

export { SANDBOX_MNEMONIC } from '@causeway/server'

export const DEFAULT_NETWORKS = 'networks/sandbox'

/** Default settings that make swaps fast enough to watch; each may be overridden. */
export const SANDBOX_DEFAULTS: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  // Any free port; the sandbox prints it.
  INTERNAL_PORT: '0',
  LOG_LEVEL: 'warn',
  SWEEP_INTERVAL_SECONDS: '10',
  PAYOUT_PATIENCE_SECONDS: '30',
  STUCK_AFTER_SECONDS: '15',
  // All callers share one address here, and tests poll heavily.
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_CREATIONS: '1000000',
  MAX_OPEN_ADDRESSES: '1000000',
  ALLOW_PRIVATE_WEBHOOKS: 'loopback',
}

/**
 * Settings that the sandbox fixes: a mnemonic, a database or a node of the real world must never come in from the
 * shell.
 */
const OWN = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'SIGNER',
  'MNEMONIC',
  'KEYSTORE_FILE',
  'KEYSTORE_PASSWORD_FILE',
  'NETWORKS',
]
const OWN_PREFIX = 'NODES_'

/** The settings of an environment that a caller may override. */
export function overridesIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !OWN.includes(name) && !name.startsWith(OWN_PREFIX)) allowed[name] = value
  }
  return allowed
}

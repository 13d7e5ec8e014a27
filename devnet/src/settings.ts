/** What the sandbox sets for the service, before anybody overrides it. */

export { SANDBOX_MNEMONIC } from '@causeway/server'

export const DEFAULT_NETWORKS = 'networks/sandbox'

/** Quick enough to watch with one's own eyes; every one may be overridden. */
export const SANDBOX_DEFAULTS: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  // Any free one: the sandbox says which.
  INTERNAL_PORT: '0',
  LOG_LEVEL: 'warn',
  SWEEP_INTERVAL_SECONDS: '10',
  PAYOUT_PATIENCE_SECONDS: '30',
  STUCK_AFTER_SECONDS: '15',
  // Everybody here is the same address, and tests poll without mercy.
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_CREATIONS: '1000000',
  ALLOW_PRIVATE_WEBHOOKS: 'true',
}

/** The sandbox decides these itself: a phrase, a database or a node of the real world must never get in by the shell. */
const OWN = ['DATABASE_URL', 'SIGNER', 'MNEMONIC', 'KEYSTORE_FILE', 'KEYSTORE_PASSWORD_FILE', 'NETWORKS']
const OWN_PREFIX = 'NODES_'

/** The settings that a caller may bring along, out of a whole environment. */
export function overridesIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !OWN.includes(name) && !name.startsWith(OWN_PREFIX)) allowed[name] = value
  }
  return allowed
}

/** Which exchanges the signer allows. A plan over any other one would be accepted and then held, so it is not offered. */
import type { ExchangeScope, Signer } from '@causeway/core'
import type { Database } from '../store/db/database.ts'
import { readExchangeScope, saveExchangeScope } from '../store/market/exchange-scope.ts'

/** The allowed exchanges by network; null if all that the network files list are allowed. */
export type ScopeReader = () => Promise<ExchangeScope | null>

/** The policy is read when the signer starts, and its prices change slowly. */
const KEPT_MS = 15_000

/**
 * Asks the signer, and stores its answer for processes without keys (`signer` null), which read it. If the signer does
 * not answer, the caller fails: its pools become stale and are not offered.
 */
export function createScopeReader(signer: Signer | null, database: Database, now: () => Date): ScopeReader {
  let last: { at: number; reading: Promise<ExchangeScope | null> } | null = null
  let saved: string | undefined
  const read = async (): Promise<ExchangeScope | null> => {
    if (!signer) return readExchangeScope(database)
    const scope = (await signer.exchangeScope?.()) ?? null
    const text = JSON.stringify(scope)
    if (text !== saved) await saveExchangeScope(database, scope)
    saved = text
    return scope
  }
  return () => {
    const at = now().getTime()
    if (last && at - last.at < KEPT_MS) return last.reading
    const reading = read()
    last = { at, reading }
    reading.catch(() => {
      if (last?.reading === reading) last = null
    })
    return reading
  }
}

/** Stops a wallet from which coins are missing: it signs nothing until a person has looked. What is missing is kept for them. */
import { type Address, type Token, tokenKey } from '@causeway/core'
import type { Services } from '../services.ts'
import type { Queries } from '../store/database.ts'
import { haltWallet, setHaltDifference } from '../store/safeguards.ts'

export async function halt(
  { log, metrics, now }: Services,
  queries: Queries,
  token: Token,
  wallet: Address,
  missing: bigint,
): Promise<void> {
  const { network, symbol } = token
  const isNew = await haltWallet(queries, network, wallet, `${missing} base units of ${symbol} are missing`)
  // While it is halted more may go, or a sharper look find the whole.
  await setHaltDifference(queries, { network, account: wallet, token: tokenKey(token), units: missing, at: now() })
  if (!isNew) return
  metrics.alerts.inc()
  log.error({ network, wallet, token: symbol, missing: `${missing}` }, 'coins are missing: the wallet is halted')
}

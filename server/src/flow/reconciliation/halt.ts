/**
 * Halts a wallet with missing coins: it signs nothing until an operator has checked. Each token with a shortfall has
 * its own hold, which follows every reconciliation: more missing units alert again, and returned coins end the
 * shortfall.
 */
import { type Address, type Token, tokenKey } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { countOn } from '../../store/journal/writers.ts'
import {
  dropHaltDifference,
  lockHaltDifference,
  readHalt,
  setHaltDifference,
  setShortfallHold,
} from '../../store/limits/halts.ts'

export interface Shortfall {
  units: bigint
  block: bigint
  /** If false, the amount is a lower bound, and a reorg may still change it. */
  isFinal: boolean
}

export async function haltWalletForShortfall(
  services: Services,
  queries: Queries,
  token: Token,
  wallet: Address,
  { units, block, isFinal }: Shortfall,
): Promise<void> {
  if (await wasRolledBack(services, queries)) return
  const { log, metrics, now } = services
  const { network, symbol } = token
  const place = { network, account: wallet, token: tokenKey(token) }
  const isNew = (await readHalt(queries, place)) === null
  const before = await lockHaltDifference(queries, place)
  const foundAt = before?.block_number ?? 0n
  const hasGrown = units > (before?.units ?? 0n)
  if (!hasGrown && !(isFinal && block >= foundAt)) return
  await setHaltDifference(queries, { ...place, units, block_number: block > foundAt ? block : foundAt, at: now() })
  await setShortfallHold(queries, place, { code: 'shortfall', token: place.token, symbol, units: `${units}` }, now())
  if (!hasGrown) return
  metrics.alerts.inc()
  const fields = { network, wallet, token: symbol, missing: `${units}` }
  if (isNew) log.error(fields, 'coins are missing: the wallet is halted')
  else log.error({ ...fields, before: `${before?.units ?? 0n}` }, 'more coins are missing from a wallet that is halted')
}

/** The ledger of an older database lacks what was paid since. Signing is stopped or stops within a second, and `restore` completes it. */
async function wasRolledBack({ signing }: Services, queries: Queries): Promise<boolean> {
  if (signing.stopped !== null) return true
  const n = await countOn(queries, signing.writer)
  return n === null || n <= signing.seen
}

/**
 * Records that nothing of that token was missing at a final block. The wallet stays halted until an operator releases
 * it.
 */
export async function clearShortfall(
  { log, now }: Services,
  queries: Queries,
  token: Token,
  wallet: Address,
  block: bigint,
): Promise<void> {
  const { network, symbol } = token
  const place = { network, account: wallet, token: tokenKey(token) }
  if (!(await dropHaltDifference(queries, place, block))) return
  await setShortfallHold(queries, place, { code: 'shortfall_cleared', token: place.token, symbol }, now())
  log.info({ network, wallet, token: symbol }, 'the missing coins are back')
}

/**
 * Stops a wallet from which coins are missing: it signs nothing until a person has looked. What is missing is kept for them, and
 * follows every look: whoever was told of less is told again, and what came back is not missing any more.
 */
import { type Address, type Token, tokenKey } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import {
  dropHaltDifference,
  haltWallet,
  listHaltDifferences,
  listHalts,
  lockHaltDifference,
  setHaltDifference,
  setHaltReason,
} from '../../store/limits/safeguards.ts'

export interface Shortfall {
  units: bigint
  block: bigint
  /** Otherwise it is the least that is missing, and a reorg may still change it. */
  isFinal: boolean
}

export async function haltWalletForShortfall(
  services: Services,
  queries: Queries,
  token: Token,
  wallet: Address,
  { units, block, isFinal }: Shortfall,
): Promise<void> {
  const { log, metrics, now } = services
  const { network, symbol } = token
  const isNew = await haltWallet(queries, network, wallet, toldOf(units, symbol))
  const place = { network, account: wallet, token: tokenKey(token) }
  const before = await lockHaltDifference(queries, place)
  const foundAt = before?.block_number ?? 0n
  const hasGrown = units > (before?.units ?? 0n)
  if (!hasGrown && !(isFinal && block >= foundAt)) return
  await setHaltDifference(queries, { ...place, units, block_number: block > foundAt ? block : foundAt, at: now() })
  if (!isNew && units !== before?.units) await tellAnew(services, queries, network, wallet)
  if (!hasGrown) return
  metrics.alerts.inc()
  const fields = { network, wallet, token: symbol, missing: `${units}` }
  if (isNew) log.error(fields, 'coins are missing: the wallet is halted')
  else log.error({ ...fields, before: `${before?.units ?? 0n}` }, 'more coins are missing from a wallet that is halted')
}

/** At a final block nothing of that token was missing. The wallet stays halted: a person lets it go. */
export async function clearShortfall(
  services: Services,
  queries: Queries,
  token: Token,
  wallet: Address,
  block: bigint,
): Promise<void> {
  const { network, symbol } = token
  if (!(await dropHaltDifference(queries, { network, account: wallet, token: tokenKey(token) }, block))) return
  await tellAnew(services, queries, network, wallet)
  services.log.info({ network, wallet, token: symbol }, 'what was missing is there again')
}

const toldOf = (units: bigint, symbol: string) => `${units} base units of ${symbol} are missing`
const WHOLE = 'what was missing is there again'
const TOLD = new RegExp(`^(\\d+ base units of .+ are missing|${WHOLE})$`)

/** What is missing now, behind what somebody else gave as the reason. */
async function tellAnew({ catalogue }: Services, queries: Queries, network: string, wallet: Address): Promise<void> {
  const isIts = (row: { network: string; account: string }) => row.network === network && row.account === wallet
  const reason = (await listHalts(queries)).find(isIts)?.reason ?? ''
  const others = reason.split('; ').filter((part) => !TOLD.test(part))
  const missing = (await listHaltDifferences(queries))
    .filter(isIts)
    .map(({ token, units }) => toldOf(units, catalogue.token(network, token).symbol))
  const told = [...others, ...(missing.length > 0 ? missing : [WHOLE])]
  await setHaltReason(queries, network, wallet, told.join('; '))
}

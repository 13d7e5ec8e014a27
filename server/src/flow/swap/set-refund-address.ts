/**
 * Sets the refund address of owed money, for a person who was authorised to do so. The command line has no chain
 * access, so the address is validated here. Ownership of the deposits is checked again in the transaction that refunds
 * them, because it may have changed since.
 */
import { ApiError, Bug, owedProceeds, parseDecimal, type Swap, toUsd, unspent } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import type { AddressGiven } from '../../store/db/jobs.ts'
import { appRequester } from '../../store/operators/actor.ts'
import { readDualControl } from '../../store/operators/operators.ts'
import { replaceAppRequest } from '../../store/operators/requests.ts'
import { readSourceNetwork } from '../../store/swaps/swap-read.ts'
import { lockSwap, readSwap, toSwap } from '../../store/swaps/swaps.ts'
import { payableAddress } from '../../swaps/addresses.ts'
import { spokenFor } from '../../swaps/set-refund-address.ts'
import { applyWithin } from './advance.ts'

const USD_DECIMALS = 18

export async function setRefundAddress(services: Services, given: AddressGiven): Promise<void> {
  const { swapId, by } = given
  const network = await readSourceNetwork(services.database, swapId)
  if (network === null) throw new Bug('a refund address for a swap that does not exist', { swapId })
  try {
    const chain = chainOf(services.chains, network)
    const address = await payableAddress(services, chain, 'refund_address', given.address)
    if (await isHeldForTwo(services, given)) return await askOperators(services, given)
    const depositIds = await services.database.transaction().execute(async (queries) => {
      const record = await lockSwap(queries, swapId)
      const meant = record ? spokenFor(record, given) : []
      const feeUnits = record && statedFee(given, toSwap(record, services.catalogue))
      const fee = feeUnits === null ? {} : { feeUnits }
      await applyWithin(services, queries, swapId, {
        type: 'refund_address_given',
        address,
        depositIds: meant,
        by,
        ...fee,
      })
      return meant
    })
    if (depositIds.length === 0) refuse(services, given, 'it is for no deposit, or not for those of whoever signed')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refuse(services, given, error.message)
  }
}

/**
 * Whether the address needs two people: an app named it, and more is owed than one operator may send alone. Otherwise an
 * operator with a key of the app could send alone what `swap refund` does not let them. An unknown value counts as too high.
 */
async function isHeldForTwo({ database, catalogue, market }: Services, given: AddressGiven): Promise<boolean> {
  if (given.by !== 'app') return false
  const most = await readDualControl(database)
  if (most === null) return false
  const record = await readSwap(database, given.swapId)
  if (!record) return false
  const swap = toSwap(record, catalogue)
  const meant = spokenFor(record, given)
  const owed = swap.deposits.filter(({ id }) => meant.includes(id)).reduce((sum, deposit) => sum + unspent(deposit), 0n)
  const proceeds = owedProceeds(swap)
  const amounts = [{ token: swap.source, units: owed }, ...(proceeds ? [proceeds] : [])].filter(
    ({ units }) => units > 0n,
  )
  const values = amounts.map(({ token, units }) => {
    const price = market.lastPrice(token)
    return price === null ? null : toUsd(units, token, price, 'up')
  })
  const threshold = parseDecimal(most.toFixed(6), USD_DECIMALS) ?? 0n
  return values.includes(null) || values.reduce<bigint>((sum, usd) => sum + (usd ?? 0n), 0n) > threshold
}

/** Stores the address as a request. An operator who confirms it runs `swap refund`, which asks for the second person. */
async function askOperators(services: Services, { swapId, address }: AddressGiven): Promise<void> {
  const { database, metrics, log, now } = services
  const app = (await readSwap(database, swapId))?.row.app_id
  const request = {
    ...{ command: 'swap refund', words: ['--id', swapId, '--to', address], seen: '', usd: null },
    ...{ reason: 'an app names its refund address', asked_by: appRequester(app ?? 'unknown'), asked_at: now() },
  }
  await database.transaction().execute((queries) => replaceAppRequest(queries, request, swapId))
  metrics.alerts.inc()
  log.error({ swapId, appId: app, address }, 'a refund address of an app needs two people')
}

/** The fee that an operator stated; null if none. */
function statedFee({ fee }: AddressGiven, { source }: Swap): bigint | null {
  if (fee === undefined) return null
  const units = parseDecimal(fee, source.decimals)
  if (units !== null && units >= 0n) return units
  throw new ApiError('VALIDATION_ERROR', `${fee} is not an amount of ${source.symbol}.`, { fee })
}

function refuse(services: Services, { swapId, by }: AddressGiven, reason: string): void {
  services.metrics.alerts.inc()
  services.log.error({ swapId, by, reason }, 'a refund address was rejected')
}

/**
 * Sets the refund address of owed money, for a person who was authorised to do so. The command line has no chain
 * access, so the address is validated here. Ownership of the deposits is checked again in the transaction that refunds
 * them, because it may have changed since.
 */
import { ApiError, Bug, parseDecimal, type Swap, toUsd } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import type { AddressGiven } from '../../store/db/jobs.ts'
import { type Reach, withinReach } from '../../store/deposits/owed-deposits.ts'
import { appRequester } from '../../store/operators/actor.ts'
import { givenAwayUsd, lockGivenAway, recordGivenAway } from '../../store/operators/given-away.ts'
import { readDualControl } from '../../store/operators/operators.ts'
import { replaceAppRequest } from '../../store/operators/requests.ts'
import { readSourceNetwork } from '../../store/swaps/swap-read.ts'
import { lockSwap, readSwap, type SwapRecord, toSwap } from '../../store/swaps/swaps.ts'
import { payableAddress } from '../../swaps/addresses.ts'
import { spokenFor } from '../../swaps/set-refund-address.ts'
import { applyWithin } from './advance.ts'

export async function setRefundAddress(services: Services, given: AddressGiven): Promise<void> {
  const { swapId, by } = given
  const network = await readSourceNetwork(services.database, swapId)
  if (network === null) throw new Bug('a refund address for a swap that does not exist', { swapId })
  try {
    const chain = chainOf(services.chains, network)
    const address = await payableAddress(services, chain, 'refund_address', given.address)
    const done = await services.database.transaction().execute(async (queries) => {
      const most = given.by === 'app' ? await readDualControl(queries) : null
      if (most !== null) await lockGivenAway(queries)
      const record = await lockSwap(queries, swapId)
      const meant = record ? spokenFor(record, given) : []
      if (record && meant.length > 0 && most !== null && !(await countAsGiven(services, queries, record, most)))
        return 'needs two' as const
      const feeUnits = record && statedFee(given, toSwap(record, services.catalogue))
      const fee = feeUnits === null ? {} : { feeUnits }
      await applyWithin(services, queries, swapId, {
        type: 'refund_address_given',
        address,
        depositIds: meant,
        by,
        ...fee,
      })
      return meant.length > 0 ? ('given' as const) : ('for nothing' as const)
    })
    if (done === 'needs two') return await askOperators(services, given)
    if (done === 'for nothing') refuse(services, given, 'it is for no deposit, or not for those of whoever signed')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    refuse(services, given, error.message)
  }
}

/**
 * Counts what an app's address could get, as `swap refund` does, with all that the app named within a day. False, and not
 * counted, if it needs two people: an operator with a key of the app could else send alone what `swap refund` does not let
 * them. An unknown value counts as too high.
 */
async function countAsGiven(services: Services, queries: Queries, record: SwapRecord, most: number): Promise<boolean> {
  const at = services.now()
  const gifts = withinReach(record).map(({ deposit, amounts }) => ({
    object: deposit.id,
    usd: amounts.reduce((sum, amount) => sum + worthOf(services, amount), 0),
  }))
  const objects = gifts.map(({ object }) => object)
  const actor = appRequester(record.row.app_id ?? 'unknown')
  const before = await givenAwayUsd(queries, at, objects, actor)
  if (gifts.reduce((sum, { usd }) => sum + usd, before) > most) return false
  await recordGivenAway(queries, { actor, command: 'refund_address', at, gifts })
  return true
}

/** The last known value in dollars. */
function worthOf({ catalogue, market }: Services, { network, token: key, units }: Reach['amounts'][number]): number {
  const token = catalogue.token(network, key)
  const price = market.lastPrice(token)
  return price === null ? Number.POSITIVE_INFINITY : Number(toUsd(units, token, price, 'up')) / 1e18
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

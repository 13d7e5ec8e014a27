/**
 * Sets the refund address of owed money, for a person who was authorised to do so. The command line has no chain
 * access, so the address is validated here. Ownership of the deposits is checked again in the transaction that refunds
 * them, because it may have changed since.
 */
import { ApiError, Bug, parseDecimal, type Swap } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import type { Services } from '../../services.ts'
import type { AddressGiven } from '../../store/db/jobs.ts'
import { readSourceNetwork } from '../../store/swaps/swap-read.ts'
import { lockSwap, toSwap } from '../../store/swaps/swaps.ts'
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

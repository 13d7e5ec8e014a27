/**
 * The gas that a recipient's own code uses when it is paid in the native coin. It is estimated at creation, so that the
 * quote charges for it and excessive recipients are rejected at once. The payout later spends no more than was charged
 * here.
 */
import { ApiError, PayoutImpossible, type Quote, RetryLater, type Swap } from '@causeway/core'
import type { Offer } from '../offer/quote-service.ts'
import type { Services } from '../services.ts'
import { FAILING, failingRecipientsAmong } from './failing-recipients.ts'

/** No request waits longer for a node. On a timeout, only the gas included in every payout is charged. */
const MOST_WAIT_MS = 2_000

export async function recipientGasFor(
  { log, catalogue, database, now }: Services,
  { destinationChain: chain, pricing }: Offer,
  { destinationAddress: to }: Pick<Swap, 'destinationAddress'>,
  quote: Quote | null,
): Promise<bigint> {
  const token = catalogue.network(pricing.destination.network).nativeToken
  const isNative = pricing.destination.contract === null
  if (!chain.recipientGas || !(isNative || pricing.refuel)) return 0n
  const units = (isNative ? quote?.receiveUnits : pricing.refuel?.units) ?? 1n
  try {
    if ((await failingRecipientsAmong(database, token, [to], now())).has(to)) throw new PayoutImpossible(FAILING)
    return await inTime(chain.recipientGas.extraGas({ to, amount: { token, units } }))
  } catch (error) {
    if (error instanceof PayoutImpossible) {
      const problem = `cannot be paid on ${chain.network.name}: ${error.message}`
      throw new ApiError('INVALID_ADDRESS_ERROR', `destination_address ${to} ${problem}.`, {
        destination_address: problem,
      })
    }
    if (!(error instanceof RetryLater)) throw error
    log.warn({ network: chain.network.name, err: error }, 'a recipient could not be looked at')
    return 0n
  }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RetryLater('no node answered in time')), MOST_WAIT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

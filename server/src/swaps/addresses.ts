/** Checks the addresses of a new swap: well-formed, payable, and not on a deny list. */
import {
  type Address,
  ApiError,
  type ChainAdapter,
  type LegQuote,
  mayRepeat,
  RetryLater,
  type Swap,
} from '@causeway/core'
import type { Offer } from '../offer/quote-service.ts'
import type { Services } from '../services.ts'
import type { Queries } from '../store/db/database.ts'
import { ownedAddresses } from '../store/watch/addresses.ts'
import type { SwapRequest } from './request.ts'

export function checkAddresses(request: SwapRequest, offer: Offer) {
  const { sourceChain, destinationChain } = offer
  const { sourceAddress, refundAddress } = request
  if (request.useGasless && sourceAddress === null) {
    const message = 'is needed with use_gasless: it is the one who signs'
    throw new ApiError('VALIDATION_ERROR', `source_address ${message}.`, { source_address: message })
  }
  if (offer.provider !== null && refundAddress === null) {
    throw refundAddressRequired(offer.provider)
  }
  return {
    destinationAddress: payable(destinationChain, 'destination_address', request.destinationAddress),
    sourceAddress: sourceAddress === null ? null : parseAddress(sourceChain, 'source_address', sourceAddress),
    refundAddress: refundAddress === null ? null : payable(sourceChain, 'refund_address', refundAddress),
  }
}

/** An exchange may fail after the deposit, and its money is then sent to the refund address. */
export function requireRefundAddress(refundAddress: Address | null, legs: readonly (LegQuote | undefined)[]): void {
  const leg = legs.find((one) => one !== undefined)
  if (leg && refundAddress === null) throw refundAddressRequired(leg.provider)
}

function refundAddressRequired(provider: string): ApiError {
  const message = `is needed: ${provider} is on the route`
  return new ApiError('REFUND_ADDRESS_REQUIRED', `refund_address ${message}.`, { refund_address: message })
}

/** Screening is repeated before every payout, so an outage of the screening service does not block new swaps. */
export async function screenAddresses(
  { screener, log }: Services,
  addresses: Pick<Swap, 'destinationAddress' | 'sourceAddress' | 'refundAddress'>,
  { sourceChain, destinationChain }: Offer,
): Promise<void> {
  const source = sourceChain.network.name
  const suspects = [
    { network: destinationChain.network.name, address: addresses.destinationAddress },
    ...[addresses.sourceAddress, addresses.refundAddress].flatMap((address) =>
      address ? [{ network: source, address }] : [],
    ),
  ]
  await refuseListed(screener, log, suspects)
}

/**
 * Refuses a swap whose deposit would be unmatched. A short reference is credited only from `source_address`. A contract's
 * transfer carries no reference that its owner signed. If no node answers now, the swap is created anyway: such a deposit
 * is kept as unmatched, never credited to another swap.
 */
export async function requireNaming(
  { log }: Services,
  { useDepositAddress, useDepository, useGasless }: SwapRequest,
  { sourceChain }: Offer,
  { sourceAddress }: Pick<Swap, 'sourceAddress'>,
): Promise<void> {
  if (useDepositAddress || useDepository || useGasless) return
  if (sourceAddress === null) {
    if (!mayRepeat(sourceChain.references?.bits)) return
    const message = `is needed on ${sourceChain.network.name}: only a transfer from there is credited`
    throw new ApiError('VALIDATION_ERROR', `source_address ${message}.`, { source_address: message })
  }
  const canName = await sourceChain.references?.canNameSwap?.(sourceAddress).catch((error) => {
    if (!(error instanceof RetryLater)) throw error
    log.warn({ network: sourceChain.network.name, err: error }, 'a source address could not be looked at')
    return true
  })
  if (canName ?? true) return
  const problem = 'is a contract: its transfers cannot name a swap. Set use_depository or use_deposit_address'
  throw new ApiError('VALIDATION_ERROR', `source_address ${sourceAddress} ${problem}.`, { source_address: problem })
}

async function refuseListed(
  screener: Services['screener'],
  log: Services['log'],
  suspects: { network: string; address: Address }[],
): Promise<void> {
  const hit = await screener.screen(suspects).catch((error) => {
    log.warn({ err: error }, 'addresses could not be screened')
    return null
  })
  if (hit) throw new ApiError('BLACKLISTED_ADDRESS', `${hit.address} cannot be used here.`, { address: hit.address })
}

/** A payout to one of our deposit addresses would count as a deposit of another swap. */
export async function refuseOwnAddresses(
  queries: Queries,
  { destinationAddress: destinationText, refundAddress: refundText }: SwapRequest,
  { sourceChain, destinationChain }: Offer,
  { destinationAddress, refundAddress }: Pick<Swap, 'destinationAddress' | 'refundAddress'>,
): Promise<void> {
  const isOurs = async ({ network }: ChainAdapter, address: Address | null) =>
    address !== null && (await ownedAddresses(queries, network.name, [address])).length > 0
  if (await isOurs(destinationChain, destinationAddress))
    throw unpayable(destinationChain, 'destination_address', destinationText)
  if (await isOurs(sourceChain, refundAddress)) throw unpayable(sourceChain, 'refund_address', refundText ?? '')
}

/** For a single address: payable, not one of ours, and not on a deny list. */
export async function payableAddress(
  { database, screener, log }: Services,
  chain: ChainAdapter,
  field: string,
  text: string,
): Promise<Address> {
  const address = payable(chain, field, text)
  const network = chain.network.name
  if ((await ownedAddresses(database, network, [address])).length > 0) throw unpayable(chain, field, text)
  await refuseListed(screener, log, [{ network, address }])
  return address
}

export function parseAddress(chain: ChainAdapter, field: string, text: string): Address {
  const address = chain.parseAddress(text)
  if (address === null) throw invalid(field, text, `is no address of ${chain.network.name}`)
  return address
}

/** Rejects burn addresses and our own wallet. */
function payable(chain: ChainAdapter, field: string, text: string): Address {
  const address = parseAddress(chain, field, text)
  if (address === chain.treasury || chain.isUnpayable(address)) throw unpayable(chain, field, text)
  return address
}

function unpayable(chain: ChainAdapter, field: string, text: string): ApiError {
  return invalid(field, text, `cannot be paid on ${chain.network.name}`)
}

function invalid(field: string, text: string, problem: string): ApiError {
  return new ApiError('INVALID_ADDRESS_ERROR', `${field} ${text} ${problem}.`, { [field]: problem })
}

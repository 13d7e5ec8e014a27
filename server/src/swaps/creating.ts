/**
 * Makes a swap: checks the addresses, fixes the terms, finds or makes the address where the deposit is awaited, says what
 * the depositor must do, and stores the swap last. Also says what to do whenever the swap is read again.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  type Address,
  ApiError,
  type ChainAdapter,
  type DepositAction,
  type Quote,
  RetryLater,
  type Swap,
  toGrid,
  tokenKey,
} from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import { findExchange } from '../catalogue/exchanges.ts'
import {
  earningTerms,
  type Offer,
  offerFor,
  parseAmount,
  parseSlippage,
  quoteAmount,
  type RouteRequest,
} from '../offer/offering.ts'
import { quoteViewOf } from '../offer/quoteview.ts'
import type { Services } from '../services.ts'
import { findDepositAddress, insertDepositAddress, nextAddressIndex, ownedAddresses } from '../store/addresses.ts'
import type { Queries } from '../store/database.ts'
import type { IdempotentRequest } from '../store/idempotency.ts'
import { addJob } from '../store/jobs.ts'
import { insertSwaps, type NewSwap, storeSwap, takeSequence } from '../store/newswaps.ts'
import type { SwapView } from '../store/reading.ts'
import { gaslessOf, gaslessRequest } from './authorizing.ts'

export interface SwapRequest extends RouteRequest {
  /** Null where whatever arrives inside the limits is swapped. */
  amount: string | null
  slippage: string | null
  destinationAddress: string
  sourceAddress: string | null
  refundAddress: string | null
  useNewDepositAddress: boolean
  referenceId: string | null
  /** The app whose key was used. */
  appId: string | null
  appName: string | null
  /** Names of exchanges, as the caller gave them. */
  sourceExchange: string | null
  destinationExchange: string | null
  correlationId: string | null
}

export interface CreatedSwap {
  view: SwapView
  actions: DepositAction[]
}

/** Somebody else took the idempotency key while this swap was being made. */
export class KeyTaken extends Error {
  override name = 'KeyTaken'
}

export function createSwap(services: Services, request: SwapRequest): Promise<CreatedSwap> {
  return makeSwap(services, request, null, async (created) => created)
}

/** Answers what `describe` makes of the swap: it begins while the swap is still being stored, and counts once it is. */
export async function makeSwap<Answer>(
  services: Services,
  request: SwapRequest,
  repeated: IdempotentRequest | null,
  describe: (created: CreatedSwap) => Promise<Answer>,
): Promise<Answer> {
  const offer = offerFor(services, request)
  const exchanges = exchangesOf(services, request)
  const addresses = checkAddresses(request, offer)
  await screenAddresses(services, addresses, offer)
  const slippage = parseSlippage(request.slippage)
  const quote = quoteFor(request, offer, slippage)
  const now = services.now()
  const sequence = await takeSequence(services.database, now)
  const swap: Swap = {
    id: randomUUID(),
    source: offer.pricing.source,
    destination: offer.pricing.destination,
    refuel: offer.pricing.refuel?.token ?? null,
    status: 'user_transfer_pending',
    failReason: null,
    ...addresses,
    usesDepositAddress: request.useDepositAddress,
    usesDepository: request.useDepository,
    usesGasless: request.useGasless,
    requestedUnits: quote?.requestedUnits ?? null,
    slippage,
    quote,
    quoteExpiresAt: new Date(now.getTime() + services.config.QUOTE_TTL_SECONDS),
    expiresAt: new Date(now.getTime() + services.config.DEPOSIT_WINDOW_SECONDS),
    closedAt: null,
    deposits: [],
    payouts: [],
  }
  const { referenceId, appId, appName, correlationId } = request
  const promised = quote && services.campaigns.earning(earningTerms(offer, quote, swap.destinationAddress), now)
  const quoteView = quoteViewOf(offer, promised?.earning ?? null)
  const terms = { swap, sequence, exchanges, quoteView, createdAt: now }
  const entry = { ...terms, referenceId, appId, appName, correlationId, repeated }
  const storing = swap.usesDepositAddress
    ? storeAtAddress(services, entry, offer.sourceChain, request).then(describe)
    : storeAtTreasury(services, entry, offer.sourceChain, describe)
  const answer = await storing.catch(async (error) => {
    if (!(error instanceof NotStored)) throw error
    await refuseOwnAddresses(services.database, request, offer, addresses)
    throw new KeyTaken()
  })
  if (promised?.isOpen) await addJob(services.database, { task: 'promise', payload: { swapId: swap.id } })
  services.log.info(
    { swapId: swap.id, correlationId, source: swap.source.network, destination: swap.destination.network },
    'swap created',
  )
  return answer
}

/** Its idempotency key is taken, or it would pay to ourselves. */
class NotStored extends Error {}

type Unplaced = Omit<NewSwap, 'receiver'>

/** What to deposit is asked for first: a request that the family refuses makes no swap. */
async function storeAtTreasury<Answer>(
  services: Services,
  unplaced: Unplaced,
  { treasury: receiver }: ChainAdapter,
  describe: (created: CreatedSwap) => Promise<Answer>,
): Promise<Answer> {
  const entry = { ...unplaced, receiver }
  const created = await withActions(services, entry)
  const [isStored, answer] = await Promise.all([storeSwap(services.database, entry), describe(created)])
  if (!isStored) throw new NotStored()
  return answer
}

/** An address that is made for the swap is kept together with it, or not at all. */
function storeAtAddress(
  services: Services,
  entry: Unplaced,
  chain: ChainAdapter,
  request: SwapRequest,
): Promise<CreatedSwap> {
  return services.database.transaction().execute(async (queries) => {
    const receiver = await receiverFor(queries, chain, entry.swap, request)
    const [isStored] = await insertSwaps(queries, [{ ...entry, receiver }])
    if (!isStored) throw new NotStored()
    return withActions(services, { ...entry, receiver })
  })
}

/** A node that does not answer now only leaves the actions for later. */
async function withActions(services: Services, entry: NewSwap): Promise<CreatedSwap> {
  const { swap, sequence, receiver, referenceId, exchanges, createdAt, quoteView } = entry
  const shown = { swap, sequence, receiver, referenceId, exchanges, createdAt, quoteView }
  const view = { ...shown, deposits: [], payouts: [] }
  try {
    return { view, actions: await depositActions(services, view) }
  } catch (error) {
    if (error instanceof RetryLater) return { view, actions: [] }
    throw error
  }
}

/** What the depositor must do. `sourceAddress` stands in for the one given at creation, where a family needs to know it. */
export async function depositActions(
  services: Services,
  view: SwapView,
  sourceAddress: string | null = null,
): Promise<DepositAction[]> {
  const { swap, receiver, sequence } = view
  const { source: token } = swap
  const units = swap.requestedUnits ?? 0n
  if (swap.usesDepositAddress) {
    const rest = { callData: null, gasLimit: null, encodedArgs: null }
    return [{ type: 'manual_transfer', toAddress: receiver, units, ...rest }]
  }
  const chain = chainOf(services.chains, token.network)
  if (swap.usesGasless) return [await gaslessOf(chain).depositAction(gaslessRequest(view, services.now()))]
  const sender = sourceAddress === null ? swap.sourceAddress : parse(chain, 'source_address', sourceAddress)
  const request = { token, units, receiver, reference: sequence, sourceAddress: sender }
  if (!swap.usesDepository) return [await chain.depositAction(request)]
  if (!chain.depository) throw new ApiError('UNSUPPORTED_DEPOSITORY', `There is no Depository on ${token.network}.`)
  return [await chain.depository.depositAction(request)]
}

/** Null while the amount is open. */
function quoteFor({ amount, useDepositAddress }: SwapRequest, offer: Offer, slippage: bigint): Quote | null {
  const { source } = offer.pricing
  if (amount !== null) {
    const units = parseAmount(amount, source)
    // A person types what is shown, and shown are no more digits than the precision: ask for exactly that.
    return quoteAmount(offer, useDepositAddress ? toGrid(units, source, 'down') : units, slippage)
  }
  if (useDepositAddress) return null
  const message = 'is needed unless use_deposit_address is set'
  throw new ApiError('VALIDATION_ERROR', `amount ${message}.`, { amount: message })
}

function checkAddresses(request: SwapRequest, offer: Offer) {
  const { sourceChain, destinationChain } = offer
  const { sourceAddress, refundAddress } = request
  if (request.useGasless && sourceAddress === null) {
    const message = 'is needed with use_gasless: it is the one who signs'
    throw new ApiError('VALIDATION_ERROR', `source_address ${message}.`, { source_address: message })
  }
  if (offer.provider !== null && refundAddress === null) {
    const message = `is needed: ${offer.provider} is on the route`
    throw new ApiError('REFUND_ADDRESS_REQUIRED', `refund_address ${message}.`, { refund_address: message })
  }
  return {
    destinationAddress: payable(destinationChain, 'destination_address', request.destinationAddress),
    sourceAddress: sourceAddress === null ? null : parse(sourceChain, 'source_address', sourceAddress),
    refundAddress: refundAddress === null ? null : payable(sourceChain, 'refund_address', refundAddress),
  }
}

function exchangesOf({ exchanges }: Services, { sourceExchange, destinationExchange }: SwapRequest) {
  const nameOf = (field: string, name: string | null): string | null => {
    if (name === null) return null
    const exchange = findExchange(exchanges, name)
    if (exchange) return exchange.name
    throw new ApiError('VALIDATION_ERROR', `${field} ${name} is not known.`, { [field]: 'is not known' })
  }
  return {
    source: nameOf('source_exchange', sourceExchange),
    destination: nameOf('destination_exchange', destinationExchange),
  }
}

/** Asked again before money leaves, so that a screening service that is down now does not stop anybody. */
async function screenAddresses(
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
  const hit = await screener.screen(suspects).catch((error) => {
    log.warn({ err: error }, 'addresses could not be screened')
    return null
  })
  if (hit) throw new ApiError('BLACKLISTED_ADDRESS', `${hit.address} cannot be used here.`, { address: hit.address })
}

/** Money may go there: neither lost, nor back to our own wallet. */
function payable(chain: ChainAdapter, field: string, text: string): Address {
  const address = parse(chain, field, text)
  if (address === chain.treasury || chain.isUnpayable(address)) throw unpayable(chain, field, text)
  return address
}

/** Money that went to a deposit address of ours would count as somebody's deposit. */
async function refuseOwnAddresses(
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

function unpayable(chain: ChainAdapter, field: string, text: string): ApiError {
  return invalid(field, text, `cannot be paid on ${chain.network.name}`)
}

function parse(chain: ChainAdapter, field: string, text: string): Address {
  const address = chain.parseAddress(text)
  if (address === null) throw invalid(field, text, `is no address of ${chain.network.name}`)
  return address
}

function invalid(field: string, text: string, problem: string): ApiError {
  return new ApiError('INVALID_ADDRESS_ERROR', `${field} ${text} ${problem}.`, { [field]: problem })
}

/** The deposit address that is kept for this purpose; the treasury of a network without any. */
async function receiverFor(
  queries: Queries,
  chain: ChainAdapter,
  swap: Swap,
  { useNewDepositAddress, appId, appName }: SwapRequest,
): Promise<Address> {
  if (!chain.depositAddresses) return chain.treasury
  const network = chain.network.name
  const purpose = purposeOf(swap, appId ?? appName)
  const kept = useNewDepositAddress ? null : await findDepositAddress(queries, purpose)
  if (kept !== null) return kept
  const index = await nextAddressIndex(queries, network)
  const address = await chain.depositAddresses.derive(index)
  await insertDepositAddress(queries, { network, index, address, purpose })
  return address
}

/** A text that is the same for the same route, recipient, refund address and app, and for nothing else. */
function purposeOf({ source, destination, destinationAddress, refundAddress }: Swap, app: string | null): string {
  const route = [source, destination].flatMap((token) => [token.network, tokenKey(token)])
  const parts = [...route, destinationAddress, refundAddress, app]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

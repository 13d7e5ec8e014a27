/**
 * Creates a swap: checks the addresses, fixes the terms, finds or derives the deposit address, builds the deposit
 * actions, and stores the swap last.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  ApiError,
  type ChainAdapter,
  type DepositAction,
  drawReference,
  type Quote,
  RetryLater,
  type Swap,
} from '@causeway/core'
import { findExchange } from '../catalogue/exchanges.ts'
import { earningTerms, type Offer, offerFor, parseAmount, parseSlippage, quoteAmount } from '../offer/quote-service.ts'
import { quoteViewOf } from '../offer/quote-view.ts'
import { requireReady } from '../offer/readiness.ts'
import type { Services } from '../services.ts'
import type { Queries } from '../store/db/database.ts'
import { addJob } from '../store/db/jobs.ts'
import type { IdempotentRequest } from '../store/swaps/idempotency.ts'
import { insertSwaps, isReferenceTaken, type NewSwap, storeSwap } from '../store/swaps/swap-insert.ts'
import type { SwapView } from '../store/swaps/swap-read.ts'
import { CLIENT_GROUPS } from '../store/watch/addresses.ts'
import { countOpenAddresses, lockClient, recordOpenAddress } from '../store/watch/open-addresses.ts'
import {
  checkAddresses,
  refuseOwnAddresses,
  requireNaming,
  requireRefundAddress,
  screenAddresses,
} from './addresses.ts'
import { depositActions } from './deposit-actions.ts'
import { depositReceiver } from './deposit-receiver.ts'
import { recipientGasFor } from './recipient-gas.ts'
import type { SwapRequest } from './request.ts'
import { userExecution } from './user-execution.ts'

export interface CreatedSwap {
  view: SwapView
  actions: DepositAction[]
}

/** Another request took the idempotency key while this swap was being created. */
export class KeyTaken extends Error {
  override name = 'KeyTaken'
}

export function createSwap(services: Services, request: SwapRequest): Promise<CreatedSwap> {
  return makeSwap(services, request, null, async (created) => created)
}

/**
 * Returns what `describe` makes of the swap. It runs while the swap is being stored, and its result is used only if
 * that succeeds.
 */
export async function makeSwap<Answer>(
  services: Services,
  given: SwapRequest,
  repeated: IdempotentRequest | null,
  describe: (created: CreatedSwap) => Promise<Answer>,
): Promise<Answer> {
  const asked = offerFor(services, given)
  const execution = userExecution(services, given, asked, parseSlippage(given.slippage))
  const request = execution?.request ?? given
  const plain = execution?.offer(0n) ?? asked
  await requireReady(services, plain.sourceChain.network.name)
  if (request.useDepositAddress) await requireQuota(services, services.database, request)
  const exchanges = exchangesOf(services, request)
  const addresses = checkAddresses(request, plain)
  await screenAddresses(services, addresses, plain)
  await requireNaming(services, request, plain, addresses)
  const slippage = execution?.slippage ?? parseSlippage(request.slippage)
  const quoteOf = (offer: Offer) => (execution ? execution.quote(offer) : quoteFor(request, offer, slippage))
  const plainQuote = quoteOf(plain)
  const effort = await recipientGasFor(services, plain, addresses, plainQuote)
  const offer = effort === 0n ? plain : (execution?.offer(effort) ?? offerFor(services, { ...request, effort }))
  const latest = offer === plain ? plainQuote : quoteOf(offer)
  const bound = execution && latest ? execution.bound(latest) : null
  const quote = bound?.quote ?? latest
  requireRefundAddress(addresses.refundAddress, [bound?.exchange, quote?.legs?.sale, quote?.legs?.purchase])
  const now = services.now()
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
    ...(bound && { userExchange: bound.exchange }),
    requestedUnits: quote?.requestedUnits ?? null,
    slippage,
    quote,
    originalQuote: null,
    quoteExpiresAt: new Date(now.getTime() + offer.termMs),
    repriceSince: null,
    expiresAt: new Date(now.getTime() + services.config.depositWindowMs),
    closedAt: null,
    deposits: [],
    payouts: [],
  }
  const { referenceId, appId, appName, correlationId } = request
  const promised = quote && services.campaigns.earning(earningTerms(offer, quote, swap.destinationAddress), now)
  const quoteView = quoteViewOf(offer, promised?.earning ?? null)
  const terms = { swap, exchanges, quoteView, effort, createdAt: now }
  const clientGroup = request.useDepositAddress || request.useGasless ? groupOf(services, request, swap.id) : null
  const unnamed = { ...terms, referenceId, appId, appName, clientGroup, correlationId, repeated }
  const storing = withReference(services, offer.sourceChain, (reference) => {
    const entry = { ...unnamed, reference }
    return swap.usesDepositAddress
      ? storeAtAddress(services, entry, offer.sourceChain, request).then(describe)
      : storeAtTreasury(services, entry, offer.sourceChain, describe)
  })
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

/** Every open deposit address is watched closely, so free swaps must not make them without bound. */
async function requireQuota(services: Services, queries: Queries, request: SwapRequest): Promise<void> {
  const { client, clientNetworks = [], hasSecretKey = false } = request
  if (client === undefined) return
  const { maxOpenAddresses, rateLimitKeyFactor } = services.config
  const most = maxOpenAddresses * (hasSecretKey ? rateLimitKeyFactor : 1)
  const above = clientNetworks.map(({ name, limits }) => ({ whose: { network: name }, most: most * limits }))
  for (const quota of [{ whose: { client }, most }, ...above]) {
    if ((await countOpenAddresses(queries, quota.whose, services.now())) < quota.most) continue
    const message = `Too many unpaid deposit addresses: ${quota.most} are open. Pay one, or wait until one expires.`
    throw new ApiError('RATE_LIMIT_EXCEEDED', message, { open_deposit_addresses: quota.most })
  }
}

/**
 * The client's group. It decides which closed deposit addresses are still watched, and how many deadlines of gasless deposits it gets.
 * Many people use a secret key, so it has as many groups as its limits are higher.
 */
function groupOf({ config }: Services, request: SwapRequest, swapId: string): number | null {
  const { client, clientNetworks = [], hasSecretKey = false } = request
  if (client === undefined) return null
  const name = clientNetworks.at(-1)?.name ?? client
  const part = hasSecretKey ? Number.parseInt(swapId.slice(0, 8), 16) % config.rateLimitKeyFactor : 0
  return createHash('sha256').update(`${name} ${part}`).digest().readUInt32BE() % CLIENT_GROUPS
}

/** Counts the new address for its client. Behind a lock, or requests at the same moment would all find the last place free. */
async function takeQuota(services: Services, queries: Queries, request: SwapRequest, { id, expiresAt }: Swap) {
  const { client, clientNetworks = [] } = request
  if (client === undefined) return
  const within = clientNetworks.map(({ name }) => name)
  await lockClient(queries, within.at(-1) ?? client)
  await requireQuota(services, queries, request)
  await recordOpenAddress(queries, { swap_id: id, client, until: expiresAt, within })
}

/** The idempotency key is taken, or the swap would pay one of our own addresses. */
class NotStored extends Error {}

type Unplaced = Omit<NewSwap, 'receiver'>

/** With 28 bits and a million swaps, one reference in 270 is taken: five in a row practically never are. */
const MAX_DRAWS = 5

/** Draws another reference if another swap has the first one: the deposit actions are built again, too. */
async function withReference<Answer>(
  { randomBytes }: Services,
  { references }: ChainAdapter,
  store: (reference: bigint) => Promise<Answer>,
): Promise<Answer> {
  for (let draws = 1; ; draws++) {
    try {
      return await store(drawReference(randomBytes, references?.bits))
    } catch (error) {
      if (draws === MAX_DRAWS || !isReferenceTaken(error)) throw error
    }
  }
}

/** Builds the deposit actions first: if the family rejects the request, no swap is stored. */
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

/**
 * The new deposit address is stored in the same transaction as the swap. If the database refuses the swap, the next
 * swap gets the address: a process without keys has a limited supply, and callers could exhaust it.
 */
async function storeAtAddress(
  services: Services,
  entry: Unplaced,
  chain: ChainAdapter,
  request: SwapRequest,
): Promise<CreatedSwap> {
  const { database, addressBranch } = services
  let taken: number | null = null
  try {
    return await database.transaction().execute(async (queries) => {
      const { receiver, index } = await depositReceiver(
        queries,
        addressBranch,
        chain,
        entry.swap,
        request,
        entry.clientGroup,
      )
      taken = index
      const [isStored] = await insertSwaps(queries, [{ ...entry, receiver }])
      if (!isStored) throw new NotStored()
      const created = await withActions(services, { ...entry, receiver })
      await takeQuota(services, queries, request, entry.swap)
      return created
    })
  } catch (error) {
    const isRolledBack = error instanceof NotStored || error instanceof ApiError || isReferenceTaken(error)
    if (isRolledBack && taken !== null) addressBranch.release(chain.network.name, taken)
    throw error
  }
}

/** If no node answers now, the actions stay empty and can be requested later. */
async function withActions(services: Services, entry: NewSwap): Promise<CreatedSwap> {
  const { swap, reference, receiver, referenceId, appId, clientGroup, exchanges, createdAt, quoteView } = entry
  const shown = { swap, reference, receiver, referenceId, appId, clientGroup, exchanges, createdAt, quoteView }
  const view = { ...shown, dueAt: null, deposits: [], payouts: [] }
  try {
    return { view, actions: await depositActions(services, view) }
  } catch (error) {
    if (error instanceof RetryLater) return { view, actions: [] }
    throw error
  }
}

/** The quote; null for an open amount. */
function quoteFor({ amount, useDepositAddress }: SwapRequest, offer: Offer, slippage: bigint): Quote | null {
  const { source } = offer.pricing
  if (amount !== null) return quoteAmount(offer, parseAmount(amount, source), slippage)
  if (useDepositAddress) return null
  const message = 'is needed unless use_deposit_address is set'
  throw new ApiError('VALIDATION_ERROR', `amount ${message}.`, { amount: message })
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

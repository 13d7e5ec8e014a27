/**
 * Gasless deposits: what the owner signs, and what happens with the signature. A new request starts every quarter of an
 * hour and is valid for half an hour to three quarters. Its deadline is unique to the swap, and so is the nonce once it
 * was relayed: a permit names no swap, and after a reverted relay anyone can read its signature on chain.
 */
import {
  ApiError,
  Bug,
  type ChainAdapter,
  type Gasless,
  type GaslessRequest,
  type GaslessVerdict,
  type Token,
  tokenKey,
} from '@causeway/core'
import { chainOf } from '../catalogue/chains.ts'
import type { Services } from '../services.ts'
import { addJob, laneOf } from '../store/db/jobs.ts'
import {
  type AuthorizationRow,
  bindNonce,
  claimPhase,
  hasOpenAuthorization,
  insertAuthorization,
  insertCall,
  type NewAuthorization,
  PHASES,
  recordRefusal,
} from '../store/swaps/gasless.ts'
import type { SwapView } from '../store/swaps/swap-read.ts'
import { lockSwap } from '../store/swaps/swaps.ts'
import { relayBudget } from './relay-budget.ts'

const TURN_MS = 15 * 60_000
const TURNS_VALID = 2
/** With less time left, the transaction may not be mined before the deadline. */
const LEAST_LEFT_MS = 60_000
/** How far back a late signature is still recognised as expired rather than wrong. Each check calls a node. */
const MAX_TURNS_BACK = 8

/** The request that the owner should sign now. */
export async function gaslessRequest(services: Services, view: SwapView): Promise<GaslessRequest> {
  return requestAt(view, await phaseOf(services, view), turnAt(view, services.now()))
}

export function gaslessOf(chain: ChainAdapter): Gasless {
  if (chain.gasless) return chain.gasless
  throw new ApiError('VALIDATION_ERROR', `use_gasless is not offered on ${chain.network.name}.`)
}

export async function authorizeSwap(
  services: Services,
  view: SwapView,
  given: { signature: string; signerAddress: string },
): Promise<AuthorizationRow> {
  const { swap } = view
  if (!swap.usesGasless) throw notGasless()
  const chain = chainOf(services.chains, swap.source.network)
  const gasless = gaslessOf(chain)
  if (await hasOpenAuthorization(services.database, swap.id)) throw alreadyAuthorized(swap.id)
  const now = services.now()
  if (swap.status !== 'user_transfer_pending' || swap.expiresAt <= now) throw expired(`swap ${swap.id} is closed`)
  if (swap.deposits.some(({ state }) => state !== 'gone')) throw invalid('a deposit for this swap is there already')
  await requireBudget(services, swap.source, swap.sourceAddress, now)
  const signer = chain.parseAddress(given.signerAddress)
  if (signer === null) throw invalid(`signer_address ${given.signerAddress} is no address of ${chain.network.name}`)

  const { request, verdict } = await judge(gasless, view, await phaseOf(services, view), now, given.signature)
  const entry: NewAuthorization = {
    swapId: swap.id,
    token: swap.source,
    owner: signer,
    nonce: verdict.state === 'valid' ? verdict.nonce : '',
    signature: given.signature,
    validBefore: new Date(request.validBefore * 1000),
  }
  const refuse = (status: 'insufficient' | 'rejected', reason: string) => {
    services.log.info({ swapId: swap.id, status, reason }, 'authorization refused')
    return recordRefusal(services.database, entry, status, reason, now)
  }
  if (signer !== request.owner) return refuse('rejected', 'the signer is not the source address of the swap')
  if (verdict.state !== 'valid') return refuse(verdict.state, verdict.reason)
  return order(services, chain, view, entry, verdict.call)
}

/** Finds the request that was signed. An expired one is reported as expired, not as wrong. */
async function judge(
  gasless: Gasless,
  view: SwapView,
  phase: number,
  now: Date,
  signature: string,
): Promise<{ request: GaslessRequest; verdict: GaslessVerdict }> {
  const turn = turnAt(view, now)
  const oldest = Math.max(0, turn - MAX_TURNS_BACK)
  const requests = Array.from({ length: turn - oldest + 1 }, (_, back) => requestAt(view, phase, turn - back))
  // In parallel: the node client batches calls of the same tick, so all turns cost the round trips of one.
  const judged = await Promise.all(
    requests.map(async (request) => ({ request, verdict: await gasless.authorize(request, signature) })),
  )
  const found = judged.find(({ verdict }) => verdict.state !== 'rejected')
  if (found && found.request.validBefore * 1000 - now.getTime() < LEAST_LEFT_MS) {
    throw expired('the authorization has expired: ask for the deposit actions again and sign anew')
  }
  const verdict = found ?? judged[0]
  if (!verdict) throw new Bug('a swap without a request to sign', { swap: view.swap.id })
  return verdict
}

/** Stores the authorization, its relay and the job in one transaction, and only while the swap still waits. */
async function order(
  services: Services,
  chain: ChainAdapter,
  { swap, receiver }: SwapView,
  entry: NewAuthorization,
  call: string,
): Promise<AuthorizationRow> {
  const { source: token } = swap
  const row = await services.database.transaction().execute(async (queries) => {
    const current = await lockSwap(queries, swap.id)
    if (current?.row.status !== 'user_transfer_pending') throw expired(`swap ${swap.id} is closed`)
    const units = swap.requestedUnits ?? 0n
    const now = services.now()
    const payout = await insertCall(queries, {
      kind: 'relay',
      token,
      units,
      account: chain.treasury,
      to: receiver,
      call,
      now,
    })
    if (!(await bindNonce(queries, entry))) throw nonceTaken()
    const stored = await insertAuthorization(queries, entry, payout)
    if (!stored) throw alreadyAuthorized(swap.id)
    const lane = laneOf(payout.network, payout.account)
    await addJob(queries, { task: 'pay', payload: { payoutId: payout.id }, lane })
    return stored
  })
  services.log.info({ swapId: swap.id, network: token.network, payoutId: row.payout_id }, 'deposit authorized')
  return row
}

/** Throws if the daily budget for failed relays is used up; called before any node. */
async function requireBudget({ database, config }: Services, token: Token, owner: string | null, now: Date) {
  if (owner === null) return
  const whose = { network: token.network, token: tokenKey(token), owner }
  const budget = await relayBudget(database, config, whose, now)
  if (budget.state !== 'spent') return
  const message = `${budget.reason}: it is not tried again for a day. Deposit in another way`
  throw new ApiError('VALIDATION_ERROR', `Not relayed: ${message}.`, { signer_address: message })
}

function turnAt({ createdAt }: SwapView, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - createdAt.getTime()) / TURN_MS))
}

/**
 * The swap's phase: the second within a quarter of an hour at which its requests end. No other open swap of the owner
 * has the same.
 */
async function phaseOf({ database, now }: Services, { swap, createdAt, clientGroup }: SwapView): Promise<number> {
  const { id: swapId, source: token, sourceAddress: owner, expiresAt } = swap
  if (owner === null) throw new Bug('a gasless swap without owner', { swap: swapId })
  const from = Math.floor(createdAt.getTime() / 1000) % PHASES
  const until = new Date(expiresAt.getTime() + (TURNS_VALID + 1) * TURN_MS)
  const phase = await claimPhase(database, { swapId, token, owner, clientGroup, from, now: now(), until })
  if (phase !== null) return phase
  const message = 'has too many open gasless swaps: deposit in another way'
  throw new ApiError('VALIDATION_ERROR', `source_address ${message}.`, { source_address: message })
}

function requestAt({ swap, reference, receiver, createdAt }: SwapView, phase: number, turn: number): GaslessRequest {
  const { source: token, sourceAddress: owner, requestedUnits: units } = swap
  if (owner === null || units === null) throw new Bug('a gasless swap without owner or amount', { swap: swap.id })
  const madeAt = Math.floor(createdAt.getTime() / 1000)
  const start = madeAt + ((phase - (madeAt % PHASES) + PHASES) % PHASES)
  const validBefore = start + ((turn + TURNS_VALID) * TURN_MS) / 1000
  return { token, units, receiver, reference, owner, validBefore }
}

function alreadyAuthorized(swapId: string): ApiError {
  const message = 'already authorized: one signature is used for one swap'
  return new ApiError('VALIDATION_ERROR', `Swap ${swapId} is ${message}.`, { signature: message })
}

function nonceTaken(): ApiError {
  const message = 'already authorized: the nonce of this signature belongs to another swap. Deposit in another way'
  return new ApiError('VALIDATION_ERROR', `The signature is ${message}.`, { signature: message })
}

function expired(problem: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `Too late, the authorization expired: ${problem}.`, { signature: 'expired' })
}

function notGasless(): ApiError {
  const message = 'was not asked for when the swap was made: deposit as its deposit actions say'
  return new ApiError('VALIDATION_ERROR', `use_gasless ${message}.`, { use_gasless: message })
}

function invalid(problem: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `Not valid: ${problem}.`, { signer_address: problem })
}

/**
 * Makes small swaps over the public API with the canary's own money, one after the other, and says what broke.
 *
 * It cannot touch the money of customers: it has the keys of its own wallets only. It cannot pay twice: a deposit is signed
 * once, and only those bytes are sent again. A run that is killed leaves a swap that completes or expires.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ChainAdapter,
  findToken,
  parseDecimal,
  roundToTransferable,
  type SignedTransfer,
  type Token,
  TreasuryShort,
} from '@causeway/core'
import { type CausewayClient, isTerminal, plainNumber, RequestError, type SwapDetails } from '@causeway/sdk'
import type { Canary, CanaryResult } from '../context/command-context.ts'
import { type CanarySwap, pairsOf } from './plan.ts'

export interface CanaryTools {
  client: CausewayClient
  /** Adapters whose treasury is the canary's wallet. */
  chains: ReadonlyMap<string, ChainAdapter>
}

type CanaryOptions = Omit<Parameters<Canary['run']>[0], 'networks'> & { pollMs?: number }

/** A minimum may rise between its reading and the deposit. */
const ABOVE_MIN = 1.25
const POLL_MS = 2_000
/** A node may have lost the deposit: the same bytes are sent again. */
const RESEND_MS = 20_000
/** A node behind a load balancer may show the payment later than the one that the service asked. */
const ARRIVAL_MS = 60_000

/** A problem that the report shows as it is. */
class CanaryProblem extends Error {}

export async function runCanary(
  { client, chains }: CanaryTools,
  swaps: readonly CanarySwap[],
  options: CanaryOptions,
): Promise<CanaryResult[]> {
  const results: CanaryResult[] = []
  let leftUsd = options.budgetUsd
  for (const swap of swaps) {
    const began = performance.now()
    const result: CanaryResult = {
      ...{ source: swap.source.name, destination: swap.destination.name, method: 'deposit_address', state: 'worked' },
      ...{ route: '', amount: '', usd: 0, swapId: null, seconds: 0, problem: null },
    }
    try {
      const ends = { from: walletOn(chains, swap.source.name), to: walletOn(chains, swap.destination.name) }
      const offer = await offerFor(client, swap)
      Object.assign(result, { route: offer.route, amount: offer.amount, usd: offer.usd })
      if (offer.usd > leftUsd) {
        Object.assign(result, { state: 'skipped', problem: `$${leftUsd.toFixed(2)} of the budget are left` })
      } else {
        leftUsd -= offer.usd
        await trySwap(client, ends, offer, options, (id) => {
          result.swapId = id
        })
      }
    } catch (error) {
      Object.assign(result, { state: 'failed', problem: textOf(error) })
    }
    result.seconds = Math.round((performance.now() - began) / 1000)
    results.push(result)
    await options.onResult(result)
  }
  return results
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function walletOn(chains: CanaryTools['chains'], network: string): ChainAdapter {
  const chain = chains.get(network)
  if (!chain) throw new CanaryProblem(`${network} has no node in these settings`)
  return chain
}

interface Offer {
  request: Record<'source_network' | 'source_token' | 'destination_network' | 'destination_token', string>
  route: string
  amount: string
  usd: number
}

/** The first pair of tokens whose route is open, and a little more than its smallest amount. */
async function offerFor(client: CausewayClient, swap: CanarySwap): Promise<Offer> {
  let refused: unknown = null
  for (const { from, to } of pairsOf(swap)) {
    const request = {
      ...{ source_network: swap.source.name, source_token: from.contract ?? from.symbol },
      ...{ destination_network: swap.destination.name, destination_token: to.contract ?? to.symbol },
    }
    try {
      const limits = await client.limits({ ...request, use_deposit_address: true })
      const whole = limits.min_amount * ABOVE_MIN
      // More digits than a token shows are not accepted by every network.
      const digits = Math.min(from.precision, from.decimals)
      const amount = plainNumber(Math.ceil(whole * 10 ** digits) / 10 ** digits)
      const route = `${swap.source.name}/${from.symbol} to ${swap.destination.name}/${to.symbol}`
      return { request, route, amount, usd: Number(amount) * from.price_in_usd }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refused ??= error
    }
  }
  throw new CanaryProblem(`no route: ${refused ? textOf(refused) : 'no tokens are listed'}`)
}

async function trySwap(
  client: CausewayClient,
  { from, to }: { from: ChainAdapter; to: ChainAdapter },
  { request, amount }: Offer,
  { timeoutMs, pollMs = POLL_MS }: CanaryOptions,
  onCreated: (id: string) => void,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  const paid = tokenOf(from, request.source_token)
  const wanted = tokenOf(to, request.destination_token)
  const units = unitsOf(amount, paid)
  await requireFunds(from, paid, units)
  const before = (await to.balance(to.treasury, wanted)).units
  const created = await client.createSwap({
    ...{ ...request, amount, use_deposit_address: true, app_name: 'canary' },
    ...{ destination_address: to.treasury, refund_address: from.treasury },
  })
  const { id } = created.swap
  onCreated(id)
  const [action, ...others] = created.deposit_actions
  if (!action || others.length > 0 || action.type !== 'manual_transfer')
    throw new CanaryProblem('the service offered no deposit address')
  // The canary decides what it pays: the answer must only agree.
  if (action.amount_in_base_units !== units.toString())
    throw new CanaryProblem(`the service asks for ${action.amount} instead of ${amount}`)
  const address = from.parseAddress(action.to_address)
  if (address === null) throw new CanaryProblem(`${action.to_address} is not an address of ${request.source_network}`)
  const deposit = await signOnce(from, paid, units, address)
  const last = await untilOver(client, id, deadline, pollMs, () => from.broadcast(deposit))
  if (last.swap.status !== 'completed') throw new CanaryProblem(describeEnd(last, timeoutMs))
  await requireArrival(to, wanted, before, pollMs)
}

function tokenOf(chain: ChainAdapter, text: string): Token {
  const token = findToken(chain.network, text, chain)
  if (!token) throw new CanaryProblem(`the service lists ${text} on ${chain.network.name}, these settings do not`)
  return token
}

function unitsOf(amount: string, token: Token): bigint {
  const units = parseDecimal(amount, token.decimals)
  if (units === null || units <= 0n || roundToTransferable(units, token) !== units)
    throw new CanaryProblem(`${amount} ${token.symbol} cannot be sent on ${token.network}`)
  return units
}

async function requireFunds(chain: ChainAdapter, token: Token, units: bigint): Promise<void> {
  const held = await chain.balance(chain.treasury, token)
  if (held.units < units) throw short(chain, token)
}

function short({ treasury, network }: ChainAdapter, { symbol }: Token): CanaryProblem {
  return new CanaryProblem(
    `the canary's wallet is short: send ${symbol} and coins for fees to ${treasury} on ${network.name}`,
  )
}

/** Signs the deposit. A second signature is never made. */
async function signOnce(chain: ChainAdapter, token: Token, units: bigint, to: string): Promise<SignedTransfer> {
  const order = { kind: 'transfers' as const, account: chain.treasury, transfers: [{ to, amount: { token, units } }] }
  try {
    const draft = await chain.prepare(order, null)
    return await chain.sign(order, await chain.nextSlot(order, draft, []), draft)
  } catch (error) {
    throw error instanceof TreasuryShort ? short(chain, token) : error
  }
}

/** Sends the deposit, and again while the service has not seen it. Returns the swap at its end, or at the deadline. */
async function untilOver(
  client: CausewayClient,
  id: string,
  deadline: number,
  pollMs: number,
  send: () => Promise<void>,
): Promise<SwapDetails> {
  let sendAt = 0
  for (;;) {
    const details = await client.swap(id, { exclude_deposit_actions: true })
    if (isTerminal(details.swap.status) || performance.now() > deadline) return details
    const isSeen = details.swap.transactions.some(({ type }) => type === 'input')
    if (!isSeen && performance.now() >= sendAt) {
      // A node that knows the bytes already may refuse them: whether they arrived is what the swap shows.
      const failure = await send().then(
        () => null,
        (error: unknown) => error,
      )
      if (failure !== null && sendAt === 0) throw failure
      sendAt = performance.now() + RESEND_MS
    }
    await sleep(pollMs)
  }
}

function describeEnd({ swap: { status, fail_reason: reason, transactions } }: SwapDetails, timeoutMs: number): string {
  if (isTerminal(status)) return `the swap ended as ${status}${reason ? `: ${reason}` : ''}`
  const isSeen = transactions.some(({ type }) => type === 'input')
  const where = isSeen ? `the swap is ${status}` : 'the deposit was not seen'
  return `${where} after ${Math.round(timeoutMs / 60_000)} minutes`
}

/** Looks at the chain itself: "completed" is only what the service says. */
async function requireArrival(chain: ChainAdapter, token: Token, before: bigint, pollMs: number): Promise<void> {
  const deadline = performance.now() + ARRIVAL_MS
  for (;;) {
    const { units } = await chain.balance(chain.treasury, token)
    if (units > before) return
    if (performance.now() > deadline)
      throw new CanaryProblem(`the swap is completed, and no ${token.symbol} arrived at ${chain.treasury}`)
    await sleep(pollMs)
  }
}

/**
 * Checks before signing: whether this order can be paid, and at which price. The call is simulated on the node, so a
 * recipient that rejects it is known before anything is sent.
 */
import { ForwarderFactory } from '@causeway/contracts'
import {
  type Exchange,
  Insufficient,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  TreasuryShort,
} from '@causeway/core'
import { decodeFunctionResult, type Hex, parseTransaction, size } from 'viem'
import type { EvmChain } from '../chain.ts'
import { allowanceAt } from '../exchanging/allowance.ts'
import { exactOutAt } from '../exchanging/exact-out.ts'
import { routerCall } from '../exchanging/router-call.ts'
import {
  type CallRequest,
  contractCall,
  estimateGas,
  header,
  hex,
  nativeBalance,
  tipSuggestion,
  transactionCount,
} from '../node/calls.ts'
import { isExecutionFailure, isOutOfGas, traitsOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { balanceOf, word } from './balance.ts'
import { type GasTerms, pastOf, termsAbove, termsNow } from './fees.ts'
import { gasBound, gasLimit, layerHasGrown } from './gas.ts'
import { apartOf } from './l1-data-fee.ts'
import { callOf, parseCall } from './order.ts'

export interface Terms extends GasTerms {
  gas: bigint
  /** The account's next nonce by the chain's newest block. */
  nonce: bigint
}

export async function prepare(
  chain: EvmChain,
  order: Order,
  replaces: SignedTransfer | null,
  effort: bigint,
): Promise<PreparedTransfer> {
  const { settings, treasury } = chain
  const { to, value, data, spends } = callOf(chain, order)
  return chain.rpc.use(async (node) => {
    // Not checked for a replacement: the earlier transaction may have taken the money already.
    if (!replaces) await assertOwnerHolds(node, order)
    if (!replaces && order.kind === 'exchange') await assertExchangeable(chain, node, order.exchange)
    const bounded = gasBound(chain, node, order, effort)
    const [[head, nonce, balance], [tip], held, bound, apart, trial] = await Promise.all([
      node.ask([header('latest'), transactionCount(treasury, 'latest'), nativeBalance(treasury)]),
      node.settle([tipSuggestion()]),
      spends ? node.ask([balanceOf(spends.contract, treasury, 'latest')]) : null,
      bounded,
      bounded.then((most) => apartOf(settings, node, size(data), most)),
      bounded.then((most) => tryOut(chain, node, order, { from: treasury, to, value: hex(value), data }, most)),
    ])
    if (replaces) assertNext(replaces, nonce)
    if (spends && held && word(held[0]) < spends.units)
      throw new TreasuryShort('the treasury holds too little of the token')
    if (value > balance) throw new TreasuryShort('the treasury holds too little')
    if ('refused' in trial) {
      // If the first transaction was mined meanwhile, its replacement fails: that does not prove that nothing was sent.
      throw replaces
        ? new RetryLater(`a replacement cannot be simulated: ${trial.refused}`)
        : new PayoutImpossible(trial.refused)
    }
    const gas = gasFor(chain, order, trial.gas, bound, replaces)
    const terms = { ...termsFor(chain, termsNow(settings, head, tip, pastOf(chain, head, tip)), replaces), gas, nonce }
    if (value + terms.gas * terms.maxFeePerGas + apart > balance) {
      throw new TreasuryShort('the treasury holds too little for the gas')
    }
    return formatTerms(terms)
  })
}

/** Throws unless the transaction is the account's next one: a higher fee for later ones has no effect. */
function assertNext(replaces: SignedTransfer, next: bigint): void {
  const { nonce = 0 } = parseTransaction(replaces.bytes as Hex)
  if (BigInt(nonce) > next) throw new RetryLater(`it waits for the account's transaction ${next}`)
}

/** Throws if the owner no longer has the money, before gas is spent on the relay. */
async function assertOwnerHolds(node: Node, order: Order): Promise<void> {
  const needs = order.kind === 'transfers' && order.call !== undefined ? parseCall(order.call).needs : null
  if (!needs) return
  const [held] = await node.ask([balanceOf(needs.contract, needs.owner, 'latest')])
  if (word(held) < needs.units) throw new Insufficient(`the owner holds ${word(held)} of ${needs.units} base units`)
}

/**
 * Takes the exact quote before the first signature. Less than the minimum fails on chain, at our cost. A missing
 * allowance is no failure of the exchange: its approval is on its way.
 */
async function assertExchangeable(chain: EvmChain, node: Node, exchange: Exchange): Promise<void> {
  await assertTreasuryHolds(chain, node, exchange)
  const units = await exactOutAt(chain, node, exchange)
  if (units < exchange.minUnits)
    throw new PayoutImpossible(`the exchange gives ${units} base units now, below the minimum of ${exchange.minUnits}`)
  const { token, units: sold } = exchange.sells
  if (token.contract === null) return
  const { to: router } = routerCall(chain, exchange)
  const allowed = await allowanceAt(chain, node, router, token.contract)
  if (allowed < sold) throw new RetryLater('the router is not approved yet')
}

/** A deposit may still be on its deposit address: without it the simulation would fail as if the pool did. */
async function assertTreasuryHolds({ treasury }: EvmChain, node: Node, { sells }: Exchange): Promise<void> {
  const { contract } = sells.token
  if (contract === null) return
  const [held] = await node.ask([balanceOf(contract, treasury, 'latest')])
  if (word(held) < sells.units) throw new TreasuryShort('the treasury holds too little of the token')
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const { gas, nonce, maxFeePerGas, maxPriorityFeePerGas }: Record<keyof Terms, string> = JSON.parse(draft)
  return {
    gas: BigInt(gas),
    nonce: BigInt(nonce),
    maxFeePerGas: BigInt(maxFeePerGas),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  }
}

function formatTerms(terms: Terms): PreparedTransfer {
  return JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

function termsFor({ settings }: EvmChain, today: GasTerms, replaces: SignedTransfer | null): GasTerms {
  if (!replaces) return today
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(replaces.bytes as Hex)
  return termsAbove(settings, { maxFeePerGas, maxPriorityFeePerGas }, today)
}

/**
 * The gas limit. A replacement requests no less gas than before, unless that was too much; a cancellation only its
 * estimate.
 */
function gasFor(
  chain: EvmChain,
  order: Order,
  estimate: bigint,
  bound: bigint,
  replaces: SignedTransfer | null,
): bigint {
  const gas = gasLimit(chain, order, estimate, bound)
  const { gas: before = 0n } = replaces && order.kind !== 'cancel' ? parseTransaction(replaces.bytes as Hex) : {}
  const kept = before > gas ? before : gas
  return kept < bound ? kept : bound
}

type Trial = { gas: bigint } | { refused: string }

/** Simulates the call. Without the gas limit, the node would run a recipient's endless loop up to a block's gas. */
async function tryOut(chain: EvmChain, node: Node, order: Order, request: CallRequest, bound: bigint): Promise<Trial> {
  const trial = { ...request, gas: hex(bound) }
  const [[gas], [answer]] = await Promise.all([
    node.settle([estimateGas(trial)]),
    answersMatter(order) ? node.settle([contractCall(trial)]) : ['0x'],
  ])
  const refusal = [gas, answer].find((result) => result instanceof Refusal)
  const traits = traitsOf(chain)
  if (refusal && !isExecutionFailure(refusal, traits)) throw refusal
  if (refusal && isOutOfGas(refusal, traits) && (await layerHasGrown(chain, node))) {
    throw new RetryLater('the chain adds more gas than a moment ago')
  }
  if (refusal && isOutOfGas(refusal, traits)) return { refused: `it takes more than the ${bound} gas that it may use` }
  if (refusal) return { refused: refusal.message }
  const reason = wrongAnswer(order, answer as string)
  return reason ? { refused: reason } : { gas: gas as bigint }
}

/** Whether the call's return value must be checked: a token may report that nothing moved. */
function answersMatter(order: Order): boolean {
  // An exchange enforces its minimum, and `exactOutAt` has measured it.
  if (order.kind === 'cancel' || order.kind === 'exchange') return false
  return order.kind === 'sweep' || order.transfers.some(({ amount }) => amount.token.contract !== null)
}

/** Why a call that did not revert would still move nothing. */
function wrongAnswer(order: Order, answer: string): string | null {
  if (order.kind === 'sweep') {
    if (answer === '0x') throw new RetryLater('the forwarder factory is not deployed yet')
    const amounts = decodeFunctionResult({ abi: ForwarderFactory.abi, functionName: 'sweep', data: answer as Hex })
    return amounts.some((amount) => amount > 0n) ? null : 'there is nothing to sweep'
  }
  return answersMatter(order) && answer !== '0x' && word(answer) !== 1n ? 'the token answers false' : null
}

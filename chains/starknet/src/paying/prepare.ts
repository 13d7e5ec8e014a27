/**
 * Checks before signing: whether this order can be paid, and at which price. It is simulated on the node, so a
 * recipient that a token rejects is known before anything is sent.
 */
import {
  FeeAboveLimit,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  TreasuryShort,
} from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { hex } from '../felt.ts'
import { balanceOf, CODES, classAt, header, nonceAt, simulate, type Trial, unless } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { encodeCalls, feeCeiling, type Invoke, invokeJson, readInvoke, type SignedInvoke } from '../transaction.ts'
import { callsOf, paymentsIn, spendingOf } from './order.ts'
import { boundsOf, formatTerms, larger, mostGas, pricesAbove, pricesNow, type Terms, usualGas } from './terms.ts'

export async function prepare(
  chain: StarknetChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  const calls = callsOf(chain, order)
  const before = replaces ? bytesOf(replaces) : null
  return chain.rpc.use(async (node) => {
    const { head, nonce, held } = await readAccount(chain, node, order)
    if (before) assertNext(before, nonce)
    const today = pricesNow(chain, head)
    const prices = before ? pricesAbove(chain.settings, before, today) : today
    const start: Terms = { nonce, ...usualGas(chain.settings, paymentsIn(order)), ...prices }
    const spent = spendingOf(chain, order)
    for (const [contract, units] of spent) {
      if (units > (held.get(contract) ?? 0n)) throw new TreasuryShort('the treasury holds too little')
    }
    const invoke = {
      sender: BigInt(chain.treasury),
      calldata: encodeCalls(calls),
      nonce,
      tip: 0n,
      bounds: boundsOf(start),
    }
    const trial = await tryOut(node, invoke)
    if (trial.refused !== null) throw refusal(chain, trial.refused, before !== null)
    const terms = { ...start, ...gasFor(chain, order, trial, before) }
    const native = BigInt(chain.settings.feeToken)
    const ceiling = feeCeiling({ bounds: boundsOf(terms), tip: 0n })
    // Before execution the chain requires a balance for the maximum fee, whatever the actual fee.
    if ((spent.get(native) ?? 0n) + ceiling > (held.get(native) ?? 0n)) {
      throw new TreasuryShort('the treasury holds too little for the fee')
    }
    return formatTerms(terms)
  })
}

/** Reads everything at one block, so that no answer is older than another. */
async function readAccount(chain: StarknetChain, node: Node, order: Order) {
  const { settings, treasury, account } = chain
  const [head] = await node.ask([header('latest')])
  const at = { hash: head.hash }
  const contracts = [...new Set([BigInt(settings.feeToken), ...spendingOf(chain, order).keys()])]
  const [[standing, counted], units] = await Promise.all([
    node.settle([classAt(treasury, at), nonceAt(treasury, at)]),
    node.ask(contracts.map((contract) => balanceOf(contract, treasury, at))),
  ])
  const runs = unless(standing, CODES.contractNotFound)
  const nonce = unless(counted, CODES.contractNotFound)
  if (runs === null || nonce === null) {
    throw new RetryLater(`the account ${treasury} is not deployed: see setup, with the key ${hex(account.publicKey)}`)
  }
  if (runs !== settings.accountClass && !settings.accountUpgrades.includes(runs)) {
    throw new RetryLater(`the account runs the class ${hex(runs)}, which the network file does not name`)
  }
  return { head, nonce, held: new Map(contracts.map((contract, i) => [contract, units[i] ?? 0n])) }
}

function bytesOf({ bytes }: SignedTransfer): SignedInvoke {
  const invoke = readInvoke(JSON.parse(bytes))
  if (!invoke) throw new RetryLater('what is to be replaced is no transaction of this family')
  return invoke
}

/** Throws unless the transaction is the account's next one: a higher fee for later ones has no effect. */
function assertNext({ nonce }: SignedInvoke, next: bigint): void {
  if (nonce > next) throw new RetryLater(`it waits for the account's transaction ${next}`)
  if (nonce < next) throw new RetryLater('its nonce is used: what by will be seen')
}

async function tryOut(node: Node, invoke: Invoke): Promise<Trial> {
  const [trial] = await node.settle([simulate(invokeJson(invoke, []))])
  if (!(trial instanceof Refusal)) return trial
  if (trial.code !== CODES.executionError) throw trial
  const { execution_error: reason } = (trial.data ?? {}) as Record<string, unknown>
  return { refused: reason === undefined ? trial.message : JSON.stringify(reason), l2Gas: 0n, dataGas: 0n }
}

function refusal({ profile }: StarknetChain, reason: string, isReplacement: boolean): Error {
  const told = reason.length > 300 ? `${reason.slice(0, 300)}…` : reason
  // If the first transaction was mined meanwhile, its replacement fails: that does not prove that nothing was sent.
  if (isReplacement) return new RetryLater(`a replacement cannot be simulated: ${told}`)
  const isPassing = classOf({ message: reason }) === 'insufficient funds' || profile.isPassing(reason)
  return isPassing ? new RetryLater(told) : new PayoutImpossible(told)
}

/**
 * The gas limit: the usual gas, or half more than the simulation plus the signature check that it skips. A replacement
 * requests no less than before; a cancellation may.
 */
function gasFor(
  chain: StarknetChain,
  order: Order,
  trial: Trial,
  before: SignedInvoke | null,
): Pick<Terms, 'l2Gas' | 'dataGas'> {
  const payments = paymentsIn(order)
  const usual = usualGas(chain.settings, payments)
  const most = mostGas(chain.settings, payments)
  const kept = order.kind === 'cancel' ? null : before?.bounds
  const wanted = {
    l2Gas: larger(
      larger(usual.l2Gas, (trial.l2Gas * 3n) / 2n + chain.settings.baseL2Gas / 2n),
      kept?.l2Gas.amount ?? 0n,
    ),
    dataGas: larger(larger(usual.dataGas, (trial.dataGas * 3n) / 2n), kept?.l1DataGas.amount ?? 0n),
  }
  if (wanted.l2Gas > most.l2Gas || wanted.dataGas > most.dataGas) {
    throw new FeeAboveLimit('it takes more gas than the network file lets a payment use')
  }
  return wanted
}

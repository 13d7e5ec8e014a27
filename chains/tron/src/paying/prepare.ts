/**
 * Checks before signing: whether this order can be paid, at which cost, and which reference block to use. The block is
 * final, so that no fork can invalidate the signed bytes.
 */
import {
  type Address,
  Bug,
  FeeAboveLimit,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Transfer,
  TreasuryShort,
} from '@causeway/core'
import { type ContractCall, callTo, transferCall, wordOf } from '../abi.ts'
import type { TronChain } from '../chain.ts'
import { account, asking, type Prices, solidHead, type Trial, trial } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { freshHead } from '../node/rpc.ts'
import { bandwidthOf, encodeRaw } from '../transaction.ts'
import { unitsOf } from './balance.ts'
import { pricesOf } from './fees.ts'
import { mostFeeLimit } from './max-signing-cost.ts'
import { callOf, contractOf } from './order.ts'
import { formatDraft, type Prepared } from './terms.ts'

export async function prepare(
  chain: TronChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  if (replaces) throw new RetryLater('nothing displaces a transaction on this chain: it lands, or it expires')
  const contract = contractOf(chain, order)
  const prices = await pricesOf(chain)
  return chain.rpc.use(async (node) => {
    const [head, solid] = await Promise.all([freshHead(node, chain.settings), node.ask(solidHead())])
    if (solid.number > head.number) throw new RetryLater('the node does not know its own blocks')
    const feeLimit = await feeLimitOf(chain, node, order, prices)
    const prepared: Prepared = { reference: solid.id, time: head.time, feeLimit }
    const terms = { ...prepared, expiration: head.time, timestamp: head.time }
    const bytes = BigInt(bandwidthOf(encodeRaw(contract, terms))) * prices.byte
    await assertPayable(chain, node, order, prices, feeLimit, bytes)
    return formatDraft(prepared)
  })
}

async function feeLimitOf(chain: TronChain, node: Node, order: Order, { energy }: Prices): Promise<bigint> {
  const { treasury, settings } = chain
  const running = callOf(chain, order)
  // Nodes cannot simulate code that is not deployed yet.
  if (!running) return contractOf(chain, order).kind === 'create' ? settings.makingFeeLimit : 0n
  const tried = await node.ask(trial(treasury, running.to, running.call))
  if (!tried.isOk) await refuseTrial(chain, node, order, running.to, tried)
  const wanted = (tried.energy * (100n + settings.energyMarginPercent)) / 100n
  // Too low a limit burns all of it and pays nothing, so the more expensive case is assumed: a recipient without the
  // token.
  const least = order.kind === 'transfers' && order.call === undefined ? settings.tokenEnergy : 0n
  const feeLimit = (wanted > least ? wanted : least) * energy
  const most = mostFeeLimit(chain, order)
  if (feeLimit > most) throw new FeeAboveLimit(`energy would cost up to ${feeLimit} sun, and ${most} are allowed`)
  return feeLimit
}

function onlyTransfer(order: Order): Transfer {
  const [transfer] = order.kind === 'transfers' ? order.transfers : []
  if (!transfer) throw new Bug('an order without a transfer', { kind: order.kind })
  return transfer
}

/** Throws why a simulated call fails: temporarily, or because of the recipient. */
async function refuseTrial(
  chain: TronChain,
  node: Node,
  order: Order,
  contract: Address,
  { isRefused, reason }: Trial,
): Promise<never> {
  if (!isRefused) throw new RetryLater(`the node could not try it: ${reason}`)
  if (order.kind === 'transfers' && order.call !== undefined)
    throw new PayoutImpossible(`the contract refuses it: ${reason}`)
  if (order.kind !== 'transfers') throw new RetryLater(`a sweep would fail: ${reason}`)
  const { to, amount } = onlyTransfer(order)
  const held = await unitsOf(node, chain.treasury, amount.token)
  if (held < amount.units) throw new TreasuryShort(`the treasury holds ${held} of ${amount.units} units`)
  await refuseListed(chain, node, contract, to)
  if ((await says(chain, node, contract, callTo('paused()'))) === true) throw new RetryLater('the token is paused')
  // A lagging node behind the same address may have simulated the call. So the same amount to ourselves must succeed,
  // and to the recipient fail again.
  const isTaken = async (by: Address) =>
    (await node.ask(trial(chain.treasury, contract, transferCall(by, amount.units)))).isOk
  if (!(await isTaken(chain.treasury)) || (await isTaken(to)))
    throw new RetryLater(`the token makes no payments now: ${reason}`)
  throw new PayoutImpossible(`the token refuses a payment to ${to}: ${reason}`)
}

/** Throws if USDT lists the recipient: it lets a blacklisted address receive, but not spend. */
async function refuseListed(chain: TronChain, node: Node, contract: Address, to: Address): Promise<void> {
  const [isListed, areWeListed] = await Promise.all([
    says(chain, node, contract, callTo('isBlackListed(address)', wordOf(to))),
    says(chain, node, contract, callTo('isBlackListed(address)', wordOf(chain.treasury))),
  ])
  if (areWeListed === true) throw new RetryLater('the token has listed our own treasury')
  if (isListed === true) throw new PayoutImpossible(`the token has listed ${to}`)
}

/** A contract's yes or no; null if it has no such function. */
async function says(chain: TronChain, node: Node, contract: Address, call: ContractCall): Promise<boolean | null> {
  const answer = await node.ask(asking(chain.treasury, contract, call))
  return answer === null ? null : answer !== 0n
}

async function assertPayable(
  chain: TronChain,
  node: Node,
  order: Order,
  prices: Prices,
  feeLimit: bigint,
  bytes: bigint,
): Promise<void> {
  const { treasury, settings } = chain
  const balance = await unitsOf(node, treasury, chain.network.nativeToken)
  const transfer = order.kind === 'transfers' && order.call === undefined ? onlyTransfer(order) : null
  const isNative = transfer?.amount.token.contract === null
  let [flat, sent] = [bytes, 0n]
  if (transfer && isNative) {
    const recipient = await node.ask(account(transfer.to))
    if (recipient.isContract && prices.refusesContracts) throw new PayoutImpossible(`${transfer.to} is a contract`)
    if (!recipient.exists && prices.newAccount > flat) flat = prices.newAccount
    sent = transfer.amount.units
  } else if (transfer) {
    const { contract } = transfer.amount.token
    const held = await unitsOf(node, treasury, transfer.amount.token)
    if (held < transfer.amount.units) {
      throw new TreasuryShort(`the treasury holds ${held} of ${transfer.amount.units} units`)
    }
    if (contract !== null) await refuseListed(chain, node, contract, transfer.to)
  }
  if (flat > settings.maxFlatFee)
    throw new FeeAboveLimit(`it would cost ${flat} sun, and ${settings.maxFlatFee} are allowed`)
  if (balance < sent + flat + feeLimit) {
    throw new TreasuryShort(`the treasury holds ${balance} sun and may need ${sent + flat + feeLimit}`)
  }
}

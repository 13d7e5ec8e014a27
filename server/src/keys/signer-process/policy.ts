/**
 * The signer's policy: a file that lists networks, tokens and their limits. Anything that is not listed is refused. A
 * reason contains no running total, so its text stays the same and a held payout causes one alert only.
 */
import {
  type Catalogue,
  type ExchangeScope,
  type Order,
  type RouterApproval,
  type Transfer,
  tokenKey,
} from '@causeway/core'
import type { Families } from '../../catalogue/chains.ts'
import { approvedBy } from '../approvals/approval.ts'
import type { Outflow } from '../journal/spent.ts'
import { judgeApproval, judgeExchange, judgeLoss, type PriceOf } from './exchange-rules.ts'
import { type Kind, type NetworkRules, type PolicyRules, readRules } from './policy-file.ts'

export interface Policy {
  /** Whether the policy lists the network at all. */
  lists(network: string): boolean
  /**
   * Why the policy does not allow this order; null if it does. `approval`: the approval that the family has decoded from
   * the order's call; null for any other order.
   */
  judge(network: string, order: Order, approval: RouterApproval | null): string | null
  /** Why a new order with this fee exceeds an hourly or daily limit, or loses too much, now; null if it does not. */
  judgeRate(network: string, order: Order, feeUnits: bigint, outflow: Outflow): string | null
  /**
   * Why the fee is refused; null if it is allowed. `units`: the order's highest fee; `more`: how much it exceeds the
   * highest fee already signed in the slot.
   */
  judgeFee(network: string, order: Order, fee: { units: bigint; more: bigint }, outflow: Outflow): string | null
  /** The valid approvals, by payout and attempt. Each is valid in one slot. */
  approvals(network: string, order: Order): string[]
  /** The routers and the tokens with a price, for the service: it must not promise an exchange that is refused later. */
  exchangeScope(): ExchangeScope
}

/** The prices and the clock by which exchanges are judged. */
interface Oracle {
  priceOf: PriceOf
  now(): Date
}

export async function readPolicy(
  file: unknown,
  catalogue: Catalogue,
  families: Families,
  oracle: Oracle = { priceOf: () => null, now: () => new Date() },
): Promise<Policy> {
  return policyOf(await readRules(file, catalogue, families), catalogue, oracle)
}

const NATIVE = tokenKey({ contract: null })

function policyOf({ networks, approvers }: PolicyRules, catalogue: Catalogue, { priceOf, now }: Oracle): Policy {
  const approvalsOf = (network: string, transfer: Transfer) =>
    [...approvedBy(network, transfer)].filter((key) => approvers.has(key)).length
  return {
    lists: (name) => networks.has(name),
    judge(name, order, approval) {
      const network = networks.get(name)
      if (!network) return `the policy does not list the network ${name}`
      // A cancellation pays no recipient and invalidates the slot's earlier transactions. Only the fee is spent.
      if (order.kind === 'cancel') return null
      const judging = { network: name, rules: network.exchanges, tokens: network.tokens }
      if (approval) return judgeApproval(judging, approval)
      if (order.kind === 'exchange') {
        const paid = paidBy(order)
        return (
          judgeExchange(judging, order.exchange) ??
          judgeRecipients(network, paid) ??
          judgeApprovals(network, paid, (transfer) => approvalsOf(name, transfer))
        )
      }
      const kind = order.kind === 'transfers' && order.call !== undefined ? 'call' : order.kind
      if (!network.kinds.has(kind)) return `the policy allows no ${kind} on ${name}`
      if (order.kind !== 'transfers') return null
      return (
        judgeTransfers(network, order, kind) ??
        judgeApprovals(network, order.transfers, (transfer) => approvalsOf(name, transfer))
      )
    },
    judgeRate(name, order, feeUnits, outflow) {
      const network = networks.get(name)
      if (!network) return `the policy does not list the network ${name}`
      if (network.maxOrdersPerHour !== null && outflow.orders(name) >= network.maxOrdersPerHour) {
        return `the orders of an hour on ${name} are used up`
      }
      if (order.kind === 'exchange' && network.exchanges) {
        const reason = judgeLoss(network.exchanges, order.exchange, priceOf, now())
        if (reason) return reason
      }
      for (const [token, units] of totalsOf(order)) {
        const ceilings = network.tokens.get(token)
        const fees = token === NATIVE ? outflow.fees(name) + feeUnits : 0n
        if (!ceilings || outflow.units(name, token, 'hour') + units + fees > ceilings.perHour) {
          return `the ceiling of an hour for ${token} on ${name} is reached`
        }
        if (ceilings.perDay !== null && outflow.units(name, token, 'day') + units > ceilings.perDay) {
          return `the ceiling of a day for ${token} on ${name} is reached`
        }
      }
      return null
    },
    judgeFee(name, order, { units, more }, outflow) {
      const network = networks.get(name)
      if (!network) return `the policy does not list the network ${name}`
      const { maxFee, maxFeesPerHour } = network
      if (maxFee === null || maxFeesPerHour === null) return 'the family cannot tell what it would cost'
      const most = maxFee.units * (maxFee.each ? BigInt(movesOf(order)) : 1n)
      if (units > most) return `the fee may reach ${units} base units, above the ceiling`
      return outflow.fees(name) + more > maxFeesPerHour ? `the fees of an hour on ${name} are used up` : null
    },
    approvals(name, order) {
      const transfers = order.kind === 'transfers' ? order.transfers : order.kind === 'exchange' ? paidBy(order) : []
      return transfers.flatMap((transfer) =>
        transfer.approval && approvalsOf(name, transfer) > 0
          ? [`${transfer.approval.payout}#${transfer.approval.attempt}`]
          : [],
      )
    },
    exchangeScope: () =>
      Object.fromEntries(
        [...networks].flatMap(([name, { exchanges, tokens }]) => {
          if (!exchanges) return []
          const priced = catalogue
            .network(name)
            .tokens.filter((token) => tokens.has(tokenKey(token)))
            .filter((token) => (exchanges.prices.get(tokenKey(token)) ?? priceOf(token)) !== null)
          return [[name, { routers: [...exchanges.routers], tokens: priced.map(tokenKey) }]]
        }),
      ),
  }
}

/**
 * An exchange that pays a third party is judged like a transfer of the tokens that it sells. One to our own wallet pays
 * no one.
 */
function paidBy({ account, exchange, approval }: Extract<Order, { kind: 'exchange' }>): Transfer[] {
  const { to, sells: amount } = exchange
  return to === account ? [] : [{ to, amount, ...(approval ? { approval } : {}) }]
}

function judgeRecipients({ destinations, withdrawals }: NetworkRules, transfers: readonly Transfer[]): string | null {
  for (const { to, amount, isWithdrawal } of transfers) {
    if (isWithdrawal && !withdrawals.has(to)) return `the policy does not list ${to} for withdrawals`
    if (!isWithdrawal && destinations && !destinations.has(to)) return `the policy does not list the destination ${to}`
    if (amount.units <= 0n) return 'a transfer needs an amount'
  }
  return null
}

function judgeTransfers(
  network: NetworkRules,
  order: Extract<Order, { kind: 'transfers' }>,
  kind: Kind,
): string | null {
  if (order.transfers.length === 0 && kind !== 'call') return 'the order pays nobody'
  const refused = judgeRecipients(network, order.transfers)
  if (refused) return refused
  const { tokens } = network
  for (const [token, units] of totalsOf(order)) {
    const ceilings = tokens.get(token)
    if (!ceilings) return `the policy does not list the token ${token}`
    if (units > ceilings.max) return `${units} base units of ${token} are above the ceiling of ${ceilings.max}`
  }
  return null
}

/**
 * Payments in one transaction that have no approval are summed, so that splitting a payment cannot avoid an approval.
 */
function judgeApprovals(
  { tokens }: NetworkRules,
  transfers: readonly Transfer[],
  approvals: (transfer: Transfer) => number,
): string | null {
  for (const [token, alike] of Map.groupBy(transfers, ({ amount }) => tokenKey(amount.token))) {
    const { approvalAbove = null, twoApprovalsAbove = null } = tokens.get(token) ?? {}
    const sumBelow = (wanted: number) =>
      alike.reduce((sum, transfer) => sum + (approvals(transfer) < wanted ? transfer.amount.units : 0n), 0n)
    if (approvalAbove !== null && sumBelow(1) > approvalAbove) {
      return `above ${approvalAbove} base units of ${token} it needs an approval that an operator signed`
    }
    if (twoApprovalsAbove !== null && sumBelow(2) > twoApprovalsAbove) {
      return `above ${twoApprovalsAbove} base units of ${token} it needs the approvals of two operators`
    }
  }
  const used = transfers.flatMap(({ approval }) => (approval ? `${approval.payout}#${approval.attempt}` : []))
  return new Set(used).size < used.length ? 'one approval stands for two transfers' : null
}

/**
 * Base units per token that leave our wallets. A sweep moves coins to our own treasury and a cancellation pays nothing,
 * so neither counts.
 */
function totalsOf(order: Order): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  const amounts = order.kind === 'exchange' ? [order.exchange.sells] : []
  const sent = order.kind === 'transfers' ? order.transfers.map(({ amount }) => amount) : amounts
  for (const amount of sent) {
    const key = tokenKey(amount.token)
    totals.set(key, (totals.get(key) ?? 0n) + amount.units)
  }
  return totals
}

function movesOf(order: Order): number {
  if (order.kind === 'cancel' || order.kind === 'exchange') return 1
  return Math.max(1, order.kind === 'sweep' ? order.sources.length : order.transfers.length)
}

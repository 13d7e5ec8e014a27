/** How each swap must end, and whether it did: status, transactions, and balances on chain to the last digit. */
import { parseDecimal } from '@causeway/core'
import { plainNumber, type SwapDetails, type Token, type Transaction } from '@causeway/sdk'
import type { Client } from './client.ts'
import type { Deposit, End, Scenario } from './plan.ts'

interface Ending {
  status: SwapDetails['swap']['status']
  failReason: string | null
  transactions: Transaction['type'][]
}

const ENDINGS: Record<Deposit, Ending> = {
  'as asked': { status: 'completed', failReason: null, transactions: ['input', 'output'] },
  twice: { status: 'completed', failReason: null, transactions: ['input', 'input', 'output', 'refund'] },
  none: { status: 'expired', failReason: null, transactions: [] },
  'part of it': { status: 'completed', failReason: null, transactions: ['input', 'output'] },
  'below the minimum': {
    status: 'failed',
    failReason: 'received_less_than_valid_range',
    transactions: ['input', 'refund'],
  },
  'above the maximum': {
    status: 'failed',
    failReason: 'received_more_than_valid_range',
    transactions: ['input', 'refund'],
  },
}

function endingOf({ deposit, refuel }: Scenario): Ending {
  const ending = ENDINGS[deposit]
  return refuel ? { ...ending, transactions: [...ending.transactions, 'refuel'] } : ending
}

/** The swap has ended, as expected or not. */
export function isOver(scenario: Scenario, { swap }: SwapDetails): boolean {
  const { status, transactions } = endingOf(scenario)
  if (swap.status !== status) return swap.close_date !== null
  return transactions.every((wanted) =>
    swap.transactions.some((found) => found.type === wanted && found.status === 'completed'),
  )
}

export interface Outcome {
  details: SwapDetails
  recipient: string
  refundAddress: string | null
  deposited: string | null
}

/** Deviations from the expected outcome; empty if there are none. */
export async function problemsOf(client: Client, scenario: Scenario, outcome: Outcome): Promise<string[]> {
  const problems: string[] = []
  const expect: Expect = (what, found, wanted) => {
    if (found !== wanted) problems.push(`${what} is ${String(found)}, not ${String(wanted)}`)
  }
  const balance: Balance = async ({ network, token }, address) =>
    shown(token, await client.balance({ network: network.name, token: token.contract ?? token.symbol, address }))
  checkSwap(expect, scenario, outcome)
  await checkDelivery(expect, balance, scenario, outcome)
  await checkRefund(expect, balance, scenario, outcome)
  return problems
}

type Expect = (what: string, found: unknown, wanted: unknown) => void
type Balance = (end: End, address: string) => Promise<bigint>

function checkSwap(expect: Expect, scenario: Scenario, { details: { swap }, deposited }: Outcome): void {
  const ending = endingOf(scenario)
  expect('status', swap.status, ending.status)
  expect('fail_reason', swap.fail_reason, ending.failReason)
  const types = swap.transactions.map(({ type }) => type)
  expect('the list of transactions', types.sort().join(' '), [...ending.transactions].sort().join(' '))
  for (const { type, status, transaction_hash } of swap.transactions) {
    expect(`the status of the ${type}`, status, 'completed')
    expect(`that the ${type} has a hash`, transaction_hash !== null, true)
  }
  const input = find(swap, 'input')
  if (input) expect('the amount of the input', plainNumber(input.amount), deposited)
}

/** Recipients are new, so their whole balance was delivered by this swap. */
async function checkDelivery(expect: Expect, balance: Balance, scenario: Scenario, outcome: Outcome): Promise<void> {
  const { swap, quote, refuel } = outcome.details
  const { destination } = scenario
  const output = find(swap, 'output')
  const promised = output ? (quote.receive_amount ?? 0) : 0
  expect("the recipient's balance", await balance(destination, outcome.recipient), exact(destination.token, promised))
  if (output) {
    expect('the recipient of the output', output.to, outcome.recipient)
    expect('the amount of the output', output.amount, quote.receive_amount)
  }
  const gas = find(swap, 'refuel')
  if (!gas) return
  const native = { network: destination.network, token: destination.network.token }
  expect('the amount of the refuel', gas.amount, refuel?.amount)
  expect("the recipient's gas", await balance(native, outcome.recipient), exact(native.token, gas.amount))
}

async function checkRefund(expect: Expect, balance: Balance, scenario: Scenario, outcome: Outcome): Promise<void> {
  const { swap } = outcome.details
  const input = find(swap, 'input')
  const refund = find(swap, 'refund')
  if (!refund || !input) return
  expect('the recipient of the refund', refund.to, outcome.refundAddress ?? input.from)
  // Some networks charge nothing for a refund.
  expect('that the refund is the deposit less gas', refund.amount > 0 && refund.amount <= input.amount, true)
  if (!outcome.refundAddress) return
  const back = await balance(scenario.source, outcome.refundAddress)
  expect("the refund address's balance", back, exact(scenario.source.token, refund.amount))
}

function find(swap: SwapDetails['swap'], wanted: Transaction['type']): Transaction | undefined {
  return swap.transactions.find(({ type }) => type === wanted)
}

/** Shown amounts are truncated to the token's precision; balances are compared at that digit, as integers. */
function shown(token: Token, units: bigint): bigint {
  return units / 10n ** BigInt(Math.max(0, token.decimals - token.precision))
}

function exact(token: Token, amount: number): bigint | null {
  return parseDecimal(plainNumber(amount), Math.min(token.precision, token.decimals))
}

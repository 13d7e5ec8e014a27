/** How each swap must end, and whether it did: status, transactions, and the balances on the chains to the last digit. */
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
  none: { status: 'expired', failReason: null, transactions: [] },
  'part of it': {
    status: 'refunded',
    failReason: 'received_less_than_valid_range',
    transactions: ['input', 'refund'],
  },
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

export function endingOf({ deposit, refuel }: Scenario): Ending {
  const ending = ENDINGS[deposit]
  return refuel ? { ...ending, transactions: [...ending.transactions, 'refuel'] } : ending
}

/** Nothing more will come of the swap, whether it is what was wanted or not. */
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

/** What is not as it should be; nothing where all is well. */
export async function problemsOf(client: Client, scenario: Scenario, outcome: Outcome): Promise<string[]> {
  const { swap, quote, refuel } = outcome.details
  const { source, destination } = scenario
  const ending = endingOf(scenario)
  const problems: string[] = []
  const expect = (what: string, found: unknown, wanted: unknown) => {
    if (found !== wanted) problems.push(`${what} is ${String(found)}, not ${String(wanted)}`)
  }
  const arrived = (end: End, address: string) =>
    client.balance({ network: end.network.name, token: end.token.contract ?? end.token.symbol, address })

  expect('status', swap.status, ending.status)
  expect('fail_reason', swap.fail_reason, ending.failReason)
  const types = swap.transactions.map(({ type }) => type)
  expect('transactions', [...types].sort().join(' '), [...ending.transactions].sort().join(' '))
  for (const { type, status, transaction_hash } of swap.transactions) {
    expect(`${type} status`, status, 'completed')
    expect(`${type} has a hash`, transaction_hash !== null, true)
  }

  const [input, output, refund, gas] = (['input', 'output', 'refund', 'refuel'] as const).map((wanted) =>
    swap.transactions.find(({ type }) => type === wanted),
  )
  if (input) expect('input amount', plainNumber(input.amount), outcome.deposited)
  const delivered = shown(destination.token, await arrived(destination, outcome.recipient))
  if (output) {
    expect('output recipient', output.to, outcome.recipient)
    expect('output amount', output.amount, quote.receive_amount)
    expect("the recipient's balance", delivered, exact(destination.token, quote.receive_amount ?? 0))
  } else {
    expect("the recipient's balance", delivered, 0n)
  }
  if (gas) {
    const native = { network: destination.network, token: destination.network.token }
    expect('refuel amount', gas.amount, refuel?.amount)
    expect(
      "the recipient's gas",
      shown(native.token, await arrived(native, outcome.recipient)),
      exact(native.token, gas.amount),
    )
  }
  if (refund) {
    expect('refund recipient', refund.to, outcome.refundAddress ?? input?.from)
    expect('the refund is the deposit less some gas', refund.amount > 0 && refund.amount < (input?.amount ?? 0), true)
    if (outcome.refundAddress) {
      const back = shown(source.token, await arrived(source, outcome.refundAddress))
      expect("the refund address's balance", back, exact(source.token, refund.amount))
    }
  }
  return problems
}

/** Amounts are shown cut to the token's precision; balances are compared at that digit, in whole numbers. */
function shown(token: Token, units: bigint): bigint {
  return units / 10n ** BigInt(Math.max(0, token.decimals - token.precision))
}

function exact(token: Token, amount: number): bigint | null {
  return parseDecimal(plainNumber(amount), Math.min(token.precision, token.decimals))
}

/** The sums of a receipt, in dollars of the swap's creation. The shown sums always add up, to the cent. */
import { plainNumber, type SwapDetails, type Transaction } from '@causeway/sdk/light'
import { fromUnits, toUnits } from '../../../money/parse-amount.ts'
import { userExchangeOf } from '../steps/legs.ts'

export interface Sums {
  /** Exact amounts of tokens. */
  sent: string
  received: string
  /** Cents, all positive, except that a gain makes the difference negative. */
  sentCents: number
  networkCents: number
  serviceCents: number
  refuelCents: number
  backCents: number
  /** Neither swapped nor returned yet. */
  heldCents: number
  /** The rest, which no fee explains: the price moved, or a refund had its own fee. */
  differenceCents: number
  receivedCents: number
}

type Kind = Transaction['type']

/** `owed`: what arrived and is still held, in the source token. */
export function sumsOf({ swap, quote }: Pick<SwapDetails, 'swap' | 'quote'>, owed = 0): Sums {
  const of = (kind: Kind) => swap.transactions.filter(({ type }) => type === kind)
  const { source_token: a, destination_token: b } = swap
  const [inputs, outputs, backs] = [of('input'), of('output'), of('refund')]
  // The depositor's own exchange sold the amount that was sent. Its output is the input of the swap.
  const own = userExchangeOf(swap)
  const price = own ? a.price_in_usd : (inputs[0]?.usd_price ?? a.price_in_usd)
  const sent = own
    ? plainNumber(own.sold_amount)
    : inputs.length > 0
      ? total(inputs, a.decimals)
      : plainNumber(quote.requested_amount ?? 0)
  const received = outputs.length > 0 ? total(outputs, b.decimals) : plainNumber(quote.receive_amount ?? 0)
  const sums = {
    sent,
    received,
    sentCents: cents(Number(sent) * price),
    networkCents: cents((quote.blockchain_fee ?? 0) * price),
    serviceCents: cents((quote.service_fee ?? 0) * price),
    refuelCents: cents((quote.refuel_in_source ?? 0) * price),
    backCents: backs.reduce((all, one) => all + cents(one.amount * (one.usd_price ?? one.token.price_in_usd)), 0),
    // The exchange of a depositor takes all that was sent: what is held came besides.
    heldCents: own ? 0 : cents(owed * price),
    // Rounded down, as everywhere: never more than arrived.
    receivedCents: Math.floor(Number(received) * (outputs[0]?.usd_price ?? b.price_in_usd) * 100 + ROUNDING_ERROR),
  }
  const explained =
    sums.networkCents + sums.serviceCents + sums.refuelCents + sums.backCents + sums.heldCents + sums.receivedCents
  const rest = sums.sentCents - explained
  if (Math.abs(rest) > ROUNDED_CENTS || sums.networkCents + rest < 0) return { ...sums, differenceCents: rest }
  return { ...sums, networkCents: sums.networkCents + rest, differenceCents: 0 }
}

/** Each line is rounded; the network fee takes what that adds up to. */
const ROUNDED_CENTS = 3
const ROUNDING_ERROR = 1e-4

function cents(dollars: number): number {
  return Math.round(dollars * 100)
}

/** In base units: numbers with a fraction do not add up exactly. */
function total(transactions: readonly Transaction[], decimals: number): string {
  const units = transactions.reduce((sum, { amount }) => sum + (toUnits(plainNumber(amount), decimals) ?? 0n), 0n)
  return fromUnits(units, decimals)
}

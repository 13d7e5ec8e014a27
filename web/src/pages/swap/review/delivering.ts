/**
 * How much to send so that a given amount arrives. Found by requesting quotes, since only the service knows its fees.
 */
import { plainNumber } from '@causeway/sdk/light'
import type { Choice } from '../logic.ts'

/** The price is nearly linear: the third quote is almost exact, further ones correct rounding. */
const MOST_QUOTES = 5
/** Digits of the computed amount: enough for any price, and short enough to read. */
const DIGITS = 8

type Token = Pick<Choice['token'], 'price_in_usd' | 'decimals'>

/**
 * The amount to send, in whole tokens. `arrives` returns the output of an amount, or null if it is outside the limits.
 * In that case the amount is returned as it is, and the form shows the limits.
 */
export async function amountThatDelivers(
  wanted: string,
  { from, to }: { from: Token; to: Token },
  arrives: (amount: string) => Promise<number | null>,
): Promise<string> {
  const goal = Number(wanted)
  // Source units per output unit: first from prices, then from the last two quotes.
  let slope = to.price_in_usd / (from.price_in_usd || 1)
  let sent = goal * slope
  let last: { sent: number; comes: number } | null = null
  for (let tries = 0; tries < MOST_QUOTES; tries++) {
    const amount = roundedUp(sent, from.decimals)
    const comes = await arrives(amount)
    if (comes === null || comes >= goal) return amount
    if (last && comes > last.comes) slope = (Number(amount) - last.sent) / (comes - last.comes)
    last = { sent: Number(amount), comes }
    sent = last.sent + (goal - comes) * slope
  }
  return roundedUp(sent, from.decimals)
}

/** Rounds up, so that no less than the wanted amount arrives. */
function roundedUp(amount: number, decimals: number): string {
  if (amount <= 0) return '0'
  const places = Math.min(decimals, Math.max(0, DIGITS - 1 - Math.floor(Math.log10(amount))))
  const scale = 10 ** places
  return plainNumber(Math.ceil(amount * scale) / scale)
}

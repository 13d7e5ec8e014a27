/** How much to send so that a given amount arrives: looked for by quotes, since only the service knows what it takes off. */
import { plainNumber } from '@causeway/sdk/light'
import type { Choice } from '../logic.ts'

/** A price is a line with a step: the third quote is as good as right, the others are for what rounding left. */
const MOST_QUOTES = 5
/** Enough for any price, and short enough to read. */
const DIGITS = 8

type Token = Pick<Choice['token'], 'price_in_usd' | 'decimals'>

/**
 * In whole tokens. `arrives` tells what comes of an amount, and null where so much is not taken: then that is the answer, and
 * the form says what the limits are.
 */
export async function amountThatDelivers(
  wanted: string,
  { from, to }: { from: Token; to: Token },
  arrives: (amount: string) => Promise<number | null>,
): Promise<string> {
  const goal = Number(wanted)
  // How much one more takes: first as prices have it, then as the last two quotes have it.
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

/** Up, so that not a grain less arrives. */
function roundedUp(amount: number, decimals: number): string {
  if (amount <= 0) return '0'
  const places = Math.min(decimals, Math.max(0, DIGITS - 1 - Math.floor(Math.log10(amount))))
  const scale = 10 ** places
  return plainNumber(Math.ceil(amount * scale) / scale)
}

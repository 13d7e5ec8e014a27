/**
 * Packed amounts: a mantissa of limited bits times a power of ten. Amounts that do not fit cannot be sent: amounts are
 * rounded down, fees up.
 */
import { Bug, type Rounding } from '@causeway/core'

export interface Packing {
  mantissaBits: bigint
  bytes: number
}

export const AMOUNT: Packing = { mantissaBits: 35n, bytes: 5 }
export const FEE: Packing = { mantissaBits: 11n, bytes: 2 }
const EXPONENT_BITS = 5n
const MOST_EXPONENT = (1n << EXPONENT_BITS) - 1n

/** The nearest packable amount, rounded as given. */
export function packable(units: bigint, packing: Packing, rounding: Rounding): bigint {
  const { mantissa, exponent } = parts(units, packing, rounding)
  return mantissa * 10n ** exponent
}

/** The next packable amount above. */
export function nextPackable(units: bigint, packing: Packing): bigint {
  return packable(packable(units, packing, 'down') + 1n, packing, 'up')
}

export function pack(units: bigint, packing: Packing): Uint8Array {
  const { mantissa, exponent } = parts(units, packing, 'down')
  if (mantissa * 10n ** exponent !== units) throw new Bug('an amount that cannot be written here', { units })
  const digits = ((mantissa << EXPONENT_BITS) | exponent).toString(16).padStart(2 * packing.bytes, '0')
  return Buffer.from(digits, 'hex')
}

/** Mantissa and exponent, with the smallest sufficient exponent, as in all implementations. */
function parts(units: bigint, { mantissaBits }: Packing, rounding: Rounding): { mantissa: bigint; exponent: bigint } {
  if (units < 0n) throw new Bug('an amount may not go below zero', { units })
  const most = (1n << mantissaBits) - 1n
  for (let exponent = 0n; exponent <= MOST_EXPONENT; exponent++) {
    const step = 10n ** exponent
    const mantissa = rounding === 'down' ? units / step : (units + step - 1n) / step
    if (mantissa <= most) return { mantissa, exponent }
  }
  throw new Bug('an amount too large to be written here', { units })
}

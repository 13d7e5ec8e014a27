/** The draft of this family: the inputs of the fee and every usable coin. Plain text that the signer does not trust. */
import { Bug, type PreparedTransfer } from '@causeway/core'
import type { Pricing } from './gas.ts'

export interface DraftCoin {
  part: string
  asset: string
  units: bigint
  /** The `sourceKey` of the deposit address that holds it; null for the treasury's own. */
  source: string | null
  /** Whether the coin's block is final: no reorg can remove it from under a payout. */
  isFinal: boolean
}

export interface Terms {
  pricing: Pricing
  /** A tip for the block producer in addition to the fee: it replaces an earlier attempt. */
  tip: bigint
  /** The newest block at preparation. */
  head: bigint
  /** The number of additional coins into which the change of an asset is split. */
  splits: readonly (readonly [asset: string, coins: number])[]
  coins: readonly DraftCoin[]
}

/** The treasury keeps about this many coins of an asset, the number of payouts that can be in flight at once. */
export const KEPT_COINS = 12

export function formatTerms({ pricing, tip, head, splits, coins }: Terms): PreparedTransfer {
  const { price, factor, fixedGas, gasPerByte, gasPerKey } = pricing
  return JSON.stringify({
    pricing: [price, factor, fixedGas, gasPerByte, gasPerKey].map(String),
    tip: tip.toString(),
    head: head.toString(),
    splits,
    coins: coins.map(({ part, asset, units, source, isFinal }) => [part, asset, units.toString(), source, isFinal]),
  })
}

export function parseTerms(draft: PreparedTransfer): Terms {
  try {
    const { pricing, tip, head, splits, coins } = JSON.parse(draft)
    const [price = 0n, factor = 0n, fixedGas = 0n, gasPerByte = 0n, gasPerKey = 0n] = pricing.map(number)
    if (factor === 0n) throw new RangeError('a price of nothing')
    return {
      pricing: { price, factor, fixedGas, gasPerByte, gasPerKey },
      tip: number(tip),
      head: number(head),
      splits: splits.map(([asset, count]: [unknown, unknown]) => [String(asset), splitOf(count)] as const),
      coins: coins.map(([part, asset, units, source, isFinal]: unknown[]) => ({
        part: String(part),
        asset: idIn(asset),
        units: number(units),
        source: source === null ? null : String(source),
        isFinal: isFinal === true,
      })),
    }
  } catch (error) {
    throw new Bug('not a draft of this family', { reason: String(error) })
  }
}

const MOST = 2n ** 64n

function number(raw: unknown): bigint {
  const value = typeof raw === 'string' && /^\d{1,20}$/.test(raw) ? BigInt(raw) : MOST
  if (value >= MOST) throw new RangeError('a number of 64 bits was expected')
  return value
}

function idIn(raw: unknown): string {
  if (typeof raw !== 'string' || !/^0x[0-9a-f]{64}$/.test(raw)) throw new RangeError('an asset was expected')
  return raw
}

function splitOf(raw: unknown): number {
  if (typeof raw !== 'number' || !Number.isInteger(raw) || raw < 0 || raw > KEPT_COINS) {
    throw new RangeError('a number of coins was expected')
  }
  return raw
}

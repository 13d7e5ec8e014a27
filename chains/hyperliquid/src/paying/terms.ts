/** The draft that `prepare` passes to `sign`, as text. Recipients are not in it: they are in the order. */
import { Bug, type PreparedTransfer } from '@causeway/core'
import { PERP, SPOT } from '../scanning/ledger-row.ts'
import { MOST_VARIANT } from './action.ts'

export interface Terms {
  /** The network's time in milliseconds. */
  time: number
  /** Counts the variants of one payment. */
  variant: number
  /** The spendable USDC of the treasury. */
  held: bigint
  /** The amounts of a sweep by source; empty for other orders. */
  moves: Move[]
}

export interface Move {
  /** The index of the source in the order. */
  source: number
  dex: typeof SPOT | typeof PERP
  units: bigint
}

export function formatTerms({ time, variant, held, moves }: Terms): PreparedTransfer {
  return JSON.stringify({
    time,
    variant,
    held: held.toString(),
    moves: moves.map((move) => ({ ...move, units: move.units.toString() })),
  })
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const { time, variant, held, moves } = JSON.parse(draft) as Record<string, unknown>
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
  if (!isCount(time) || !isCount(variant) || variant > MOST_VARIANT || !Array.isArray(moves)) {
    throw new Bug('not a draft', { draft })
  }
  if (typeof held !== 'string' || !/^\d{1,40}$/.test(held)) throw new Bug('not a draft', { draft })
  return { time, variant, held: BigInt(held), moves: moves.map((move) => moveIn(move, draft)) }
}

function moveIn(raw: unknown, draft: PreparedTransfer): Move {
  const { source, dex, units } = (raw ?? {}) as Record<string, unknown>
  const isDex = dex === SPOT || dex === PERP
  if (!Number.isSafeInteger(source) || !isDex || typeof units !== 'string' || !/^[1-9]\d{0,40}$/.test(units)) {
    throw new Bug('not a draft', { draft })
  }
  return { source: Number(source), dex, units: BigInt(units) }
}

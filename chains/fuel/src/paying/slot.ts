/**
 * A slot: the coins that a transfer spends, each of which the chain accepts once, and the last block that may include
 * it. All attempts of a slot keep that block, so that eventually none of them can be mined any more.
 */
import { Bug, type Slot } from '@causeway/core'
import { type Outpoint, outpointOf } from '../transaction.ts'

export interface SlotUse {
  coins: Outpoint[]
  parts: string[]
  until: bigint
}

/** Heights are 32-bit numbers. */
const MOST_HEIGHT = 2n ** 32n - 1n

/**
 * The slot's parts. The expiry part includes the first coin: a height alone would belong to every slot of that moment.
 */
export function slotOf(parts: readonly string[], until: bigint): Slot {
  return [...parts, `until:${until}:${parts[0] ?? ''}`]
}

export function useOf(slot: Slot): SlotUse {
  const parts = slot.slice(0, -1)
  const coins = parts.map(outpointOf).filter((coin) => coin !== null)
  const match = /^until:([1-9]\d{0,9}):(.+)$/.exec(slot.at(-1) ?? '')
  const until = BigInt(match?.[1] ?? 0)
  const isSlot = parts.length > 0 && coins.length === parts.length && new Set(parts).size === parts.length
  if (!isSlot || match?.[2] !== parts[0] || until > MOST_HEIGHT) throw new Bug('not a slot of this family', { slot })
  return { coins, parts, until }
}

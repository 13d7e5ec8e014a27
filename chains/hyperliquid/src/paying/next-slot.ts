/**
 * Allocates nonces. Only a few may be open at once, and together they must leave the treasury its minimum balance:
 * several payouts are prepared in parallel, each of which alone would.
 */
import { Bug, type Order, type PreparedTransfer, type Slot, TreasuryShort } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { CANCEL_UNITS } from './action.ts'
import { formatPart, NONCE_LIFE_MS, nextNonce, noncesOf, refuseCrowded } from './slot.ts'
import { parseTerms, type Terms } from './terms.ts'

/** A row is at most this much older than its nonce says: nonces are taken from the network's own clock. */
export const NONCE_SLACK_MS = 600_000

export async function nextSlot(
  chain: HyperliquidChain,
  order: Order,
  draft: PreparedTransfer,
  taken: readonly Slot[],
): Promise<Slot> {
  const terms = parseTerms(draft)
  if (order.kind === 'sweep') return sweepSlot(order, terms, taken)
  const used = noncesOf(taken, null)
  // A nonce beyond its lifetime is no longer open.
  const young = used.filter((nonce) => nonce > terms.time - NONCE_LIFE_MS)
  const units = unitsOf(chain, order)
  try {
    refuse(chain, young, units, terms)
  } catch {
    // Many of these nonces may have been executed without this process knowing.
    const oldest = Math.min(terms.time, ...young)
    await chain.rpc.use((node) => chain.ledgerCache.since(node, oldest - NONCE_SLACK_MS))
    refuse(chain, young, units, terms)
  }
  const nonce = nextNonce(used, terms.time)
  chain.handedOut.set(nonce, units)
  return [formatPart({ source: null, nonce })]
}

function sweepSlot(
  { sources }: Extract<Order, { kind: 'sweep' }>,
  { time, moves }: Terms,
  taken: readonly Slot[],
): Slot {
  const handed: Slot[] = [...taken]
  return moves.map(({ source }) => {
    const from = sources[source]
    if (!from) throw new Bug('a draft of another sweep', { source })
    const part = formatPart({ source: from, nonce: nextNonce(noncesOf(handed, from.address), time) })
    handed.push([part])
    return part
  })
}

/** The amount that may leave, in the worst case: the recipient may be new to the network. */
function unitsOf({ settings }: HyperliquidChain, order: Order): bigint {
  const [transfer] = order.kind === 'transfers' ? order.transfers : []
  if (!transfer) return CANCEL_UNITS
  return settings.activationFee + (transfer.amount.token.contract === null ? transfer.amount.units : 0n)
}

function refuse(chain: HyperliquidChain, used: readonly number[], units: bigint, { held }: Terms): void {
  const { ledgerCache, treasury, settings, handedOut } = chain
  const landed = new Set(
    ledgerCache.known().flatMap(({ transfer }) => (transfer?.user === treasury ? (transfer.nonce ?? []) : [])),
  )
  // Nonces that are in the ledger are no longer open, even if the database does not know yet.
  const waiting = used.filter((nonce) => !landed.has(nonce))
  refuseCrowded(waiting, new Set([...used, ...landed]))
  // A nonce that was allocated but never stored was not signed: it reserves nothing.
  const open = waiting.flatMap((nonce) => handedOut.get(nonce) ?? [])
  const promised = open.reduce((sum, each) => sum + each, 0n)
  if (open.length > 0 && held < promised + units + settings.floor) {
    throw new TreasuryShort(`the treasury holds ${held} units of USDC, of which ${promised} are on their way`)
  }
}

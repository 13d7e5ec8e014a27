/** Screens the recipient of a payout, and everyone whose money it is made of. */
import { type Hold, toUsd, usdOf } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Share, Source } from '../../store/deposits/payout-sources.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

type Screened = Extract<Hold, { code: 'screened' }>

/** Dust is at most this part of what a payout is made of. */
const DUST_PART = 100n

/**
 * One hold for each hit: approving one does not hide another, and the list may have changed since the approval. Dust of listed senders
 * holds nothing: anyone can send some to another person's swap.
 */
export async function screeningHolds(
  services: Services,
  payout: PayoutRow,
  source: Source | undefined,
): Promise<Screened[]> {
  const { screener, log } = services
  const holds: Screened[] = []
  const listed = new Set<string>()
  let suspects = [{ network: payout.network, address: payout.to_address }, ...(source?.senders ?? [])]
  for (let left = suspects.length; left > 0; left = suspects.length) {
    const hit = await screener.screen(suspects)
    if (!hit) break
    // The screening service may spell an address differently, for example in another case.
    const address = hit.address.toLowerCase()
    const withIt = new Set([...listed, address])
    const isRecipient = payout.to_address.toLowerCase() === address
    if (!isRecipient && isDust(services, source?.shares ?? [], withIt)) {
      listed.add(address)
      log.warn({ payoutId: payout.id, address: hit.address }, 'the dust of a listed sender does not hold a payout')
    } else holds.push({ code: 'screened', address: hit.address, listing: hit.reason })
    suspects = suspects.filter((suspect) => suspect.address.toLowerCase() !== address)
    if (suspects.length === left) break
  }
  return holds
}

/** Whether all that these senders sent is a small part of the shares, and worth no more than the operator's bound for dust. */
function isDust(services: Services, shares: readonly Share[], senders: ReadonlySet<string>): boolean {
  const [first] = shares
  if (!first || shares.some(({ network, token }) => network !== first.network || token !== first.token)) return false
  const total = (some: readonly Share[]) => some.reduce((sum, { units }) => sum + units, 0n)
  const listed = total(shares.filter((share) => share.senders.some((sender) => senders.has(sender.toLowerCase()))))
  const token = services.catalogue.token(first.network, first.token)
  const price = services.market.price(token)
  if (price === null || listed * DUST_PART > total(shares)) return false
  return toUsd(listed, token, price, 'up') <= usdOf(services.config.screeningDustUsd)
}

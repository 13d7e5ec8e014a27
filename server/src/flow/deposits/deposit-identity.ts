/** Whether the chain still shows the deposit that was stored, or another one at its place. */
import { type Sighting, tokenKey } from '@causeway/core'
import type { DepositRow } from '../../store/swaps/swaps.ts'

/**
 * Token, receiver, reference and sender make a deposit what it is; how much arrived may differ, and its block. Where a node
 * knows only some of the senders, one that both name will do, and where it knows none, nothing speaks against it.
 */
export function isSameDeposit(sighting: Sighting, deposit: DepositRow): boolean {
  return (
    tokenKey(sighting.amount.token) === deposit.token &&
    sighting.to === deposit.to_address &&
    sighting.reference === deposit.reference &&
    mayBeFromSame(
      namesOf(sighting.fundingAddresses, sighting.refundableSender),
      namesOf(deposit.senders, deposit.from_address),
    )
  )
}

function namesOf(senders: readonly string[], from: string | null): string[] {
  return from === null ? [...senders] : [...senders, from]
}

function mayBeFromSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((sender) => b.includes(sender))
}

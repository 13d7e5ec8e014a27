/**
 * Whether a refund to the sender is safe: only to an ordinary user account. Money from HyperEVM, a vault or a
 * sub-account would not return to where it came from. The lookup is expensive and anyone may send from many accounts.
 * Only a few are looked up, and nothing waits for the answer.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import { isLosing } from '../address.ts'
import { userRole } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { openWeightBucket } from '../node/token-bucket.ts'

export interface Senders {
  /** The senders that a refund reaches, as far as known or affordable. Never throws. */
  refundable(node: Node, senders: Iterable<Address>): Promise<ReadonlySet<Address>>
}

const REMEMBERED = 5_000
/** How long an answer about another kind of account is used: a user account stays one; others may change. */
const OTHERS_FOR_MS = 600_000
/** How long a failed lookup is not repeated, so that it is not done for every row. */
const FAILED_FOR_MS = 60_000
const ROLE_WEIGHT = 60
/** The maximum per scan, even if an own gateway would allow more. */
const MOST_AT_ONCE = 20
/** The minimum per scan even with a small budget. */
const LEAST_AT_ONCE = 4

export function openSenders(weightPerMinute: number, now: () => number): Senders {
  const known = boundedMap<Address, { isPerson: boolean; until: number }>(REMEMBERED)
  const perMinute = weightPerMinute / 4
  const bucket = openWeightBucket(perMinute, Math.max(LEAST_AT_ONCE * ROLE_WEIGHT, perMinute), now)

  function keep(sender: Address, isPerson: boolean, forMs: number): void {
    known.delete(sender)
    known.set(sender, { isPerson, until: now() + forMs })
  }

  async function ask(node: Node, sender: Address): Promise<void> {
    try {
      const isPerson = (await node.ask(userRole(sender))) === 'user'
      keep(sender, isPerson, isPerson ? Number.POSITIVE_INFINITY : OTHERS_FOR_MS)
    } catch {
      keep(sender, false, FAILED_FOR_MS)
    }
  }

  return {
    async refundable(node, senders) {
      const reached = new Set<Address>()
      let asked = 0
      for (const sender of new Set(senders)) {
        if (isLosing(sender)) continue
        const isKnown = (known.get(sender)?.until ?? Number.NEGATIVE_INFINITY) > now()
        if (!isKnown) {
          if (asked >= MOST_AT_ONCE || !bucket.spend(ROLE_WEIGHT)) continue
          asked += 1
          await ask(node, sender)
        }
        if (known.get(sender)?.isPerson) reached.add(sender)
      }
      return reached
    },
  }
}

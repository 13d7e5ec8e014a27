/**
 * Whether money can safely be sent back to whoever sent it: only to an account that is a person's own. What came out of HyperEVM,
 * a vault or an account that belongs to another one would not come back to where it was. To ask is dear, and anybody may send
 * from as many accounts as they like: few are asked about, and nothing waits for the answer.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import { isLosing } from '../address.ts'
import { userRole } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { openWeightBucket } from '../node/token-bucket.ts'

export interface Senders {
  /** Those among them whom paying back reaches, as far as it is known or may be asked. Never throws. */
  refundable(node: Node, senders: Iterable<Address>): Promise<ReadonlySet<Address>>
}

const REMEMBERED = 5_000
/** A person stays one; of others it may change. */
const OTHERS_FOR_MS = 600_000
/** Who did not answer is not asked for every row. */
const FAILED_FOR_MS = 60_000
const ROLE_WEIGHT = 60
/** In one scan, however much a gateway of one's own would take. */
const MOST_AT_ONCE = 20
/** So many even where the scan may spend little. */
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

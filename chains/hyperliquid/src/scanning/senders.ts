/**
 * Whether money can safely be sent back to whoever sent it: only an account that is a person's own. What came out of HyperEVM, a
 * vault or an account that belongs to another one would not come back to where it was.
 */
import type { Address } from '@causeway/core'
import { isLosing } from '../address.ts'
import { userRole } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export interface Senders {
  /** The sender where paying it back reaches it, else null. */
  refundable(node: Node, sender: Address | null): Promise<Address | null>
}

/** To ask is dear (a twentieth of a minute's budget), and the answer does not change for a person. */
const REMEMBERED = 5_000

export function openSenders(): Senders {
  const people = new Set<Address>()
  return {
    async refundable(node, sender) {
      if (sender === null || isLosing(sender)) return null
      if (people.has(sender)) return sender
      if ((await node.ask(userRole(sender))) !== 'user') return null
      people.add(sender)
      const [oldest] = people
      if (people.size > REMEMBERED && oldest !== undefined) people.delete(oldest)
      return sender
    },
  }
}

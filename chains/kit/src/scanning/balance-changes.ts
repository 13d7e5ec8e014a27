/**
 * The balance changes of a transaction: incoming and outgoing amounts are separate, so that neither hides the other.
 */
import type { Amount, Token } from '@causeway/core'

export function balanceChanges(token: Token, { came, left }: { came: bigint; left: bigint }): Amount[] {
  return [
    { token, units: came },
    { token, units: -left },
  ].filter(({ units }) => units !== 0n)
}

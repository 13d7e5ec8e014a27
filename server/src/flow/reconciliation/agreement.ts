/**
 * Whether other nodes confirm a difference at a deposit address before it is booked. One node that lies could otherwise have
 * coins booked that are not where the ledger says, and the wallet that should hold them would be halted.
 */
import type { Address, ChainAdapter, Token } from '@causeway/core'
import type { Services } from '../../services.ts'
import { unitsNow } from '../../store/ledger/balances.ts'

/** `units`: what is to be booked; negative if coins are missing. Deposits that are not credited yet only delay it. */
export async function isAgreed(
  { database }: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  units: bigint,
): Promise<boolean> {
  const before = await unitsNow(database, owner, token)
  const { units: shown } = await chain.agreedBalance(owner, token)
  const { least, seen } = await unitsNow(database, owner, token)
  // The answer may or may not contain the amounts that were booked meanwhile.
  if (before.least !== least || before.seen !== seen) return false
  const noise = chain.balanceNoise?.(shown) ?? 0n
  return units < 0n ? shown <= least + units + noise : shown >= least + seen + units - noise
}

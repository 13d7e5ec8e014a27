/** What holding coins may have cost a wallet since it was last found right: its rent, and the gas of all that it received. */
import type { ChainAdapter } from '@causeway/core'
import { receiptsSince } from '../store/balances.ts'
import type { Queries } from '../store/database.ts'

export async function upkeepOf(queries: Queries, chain: ChainAdapter, upTo: bigint | null): Promise<bigint> {
  const { upkeepUnits = 0n, receiptUnits = 0n, treasury, network } = chain
  if (receiptUnits === 0n) return upkeepUnits
  return upkeepUnits + receiptUnits * (await receiptsSince(queries, network.nativeToken, treasury, upTo))
}

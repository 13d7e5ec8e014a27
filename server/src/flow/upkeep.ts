/**
 * What may have been taken from a wallet since it was last found right, without a transfer of its own: rent, the gas of all
 * that it received, and after a restore the fees of sweeps that were forgotten, where those come out of what is swept.
 */
import type { ChainAdapter } from '@causeway/core'
import { receiptsSince } from '../store/balances.ts'
import type { Queries } from '../store/database.ts'
import { emptiedAddresses } from '../store/restored.ts'

/** Fees were others then. */
const FEE_MULTIPLE = 10n

export async function upkeepOf(queries: Queries, chain: ChainAdapter, upTo: bigint | null): Promise<bigint> {
  const { upkeepUnits = 0n, receiptUnits = 0n, treasury, network } = chain
  const receipts = receiptUnits === 0n ? 0n : await receiptsSince(queries, network.nativeToken, treasury, upTo)
  return upkeepUnits + receiptUnits * receipts + (await forgottenFees(queries, chain))
}

async function forgottenFees(queries: Queries, chain: ChainAdapter): Promise<bigint> {
  const emptied = await emptiedAddresses(queries, chain.network.name)
  return emptied === 0n ? 0n : emptied * FEE_MULTIPLE * (await chain.fees()).sweep
}

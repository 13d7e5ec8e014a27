/** Amounts of a mined sweep by address: the UTXOs that it spends, read from the transactions that made them. */
import type { SignedTransfer, SweptAmount, Token } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { spentOutputs, sumOf } from '../scanning/locate-tx.ts'
import { parseTransaction } from '../transaction.ts'

export async function sweptBy(
  { rpc, prefixes }: BitcoinChain,
  { bytes }: SignedTransfer,
  token: Token,
): Promise<SweptAmount[]> {
  const { inputs, outputs } = parseTransaction(bytes)
  // All outputs of a sweep are the hot wallet's.
  const homes = new Set(outputs.map(({ script }) => addressOf(script, prefixes)))
  const spent = await rpc.use((node) => spentOutputs(node, inputs ?? []))
  return [...Map.groupBy(spent, ({ script }) => addressOf(script, prefixes))].flatMap(([address, coins]) =>
    address === null || homes.has(address) ? [] : [{ address, amount: { token, units: sumOf(coins) } }],
  )
}

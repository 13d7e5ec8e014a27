/**
 * Amounts of a mined sweep by address: the coins that it spends. Their owners and amounts are in the signed
 * bytes, and a block is invalid if they are not those of the coins.
 */
import { Bug, type SignedTransfer, type SweptAmount, type Token } from '@causeway/core'
import { assetOf, type FuelChain } from '../chain.ts'
import { coinInputs, parseTransaction } from '../transaction.ts'
import { unitsOf } from './order.ts'

export function sweptBy(chain: FuelChain, { hash, bytes }: SignedTransfer, token: Token): SweptAmount[] {
  const transaction = parseTransaction(bytes)
  if (!transaction) throw new Bug('a sweep that cannot be read', { hash })
  // The hot wallet adds a coin for the fee. All outputs of a sweep are its own.
  const homes = new Set(transaction.outputs.map((output) => ('to' in output ? output.to : null)))
  const asset = assetOf(chain, token)
  const taken = coinInputs(transaction).filter((coin) => coin.asset === asset && !homes.has(coin.owner))
  return [...Map.groupBy(taken, ({ owner }) => owner)].map(([address, coins]) => {
    return { address, amount: { token, units: unitsOf(coins, asset) } }
  })
}

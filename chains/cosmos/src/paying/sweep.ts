/**
 * The amounts of a sweep: the addresses' whole balances of a token now, with the account data that each signature
 * needs.
 */
import { Bug, type Order, RetryLater } from '@causeway/core'
import { denomOf } from '../address.ts'
import type { CosmosChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { account, spendable } from '../node/queries.ts'
import type { Transaction } from '../transaction.ts'
import { MAX_SOURCES } from './order.ts'
import type { SourceTerms } from './terms.ts'
import { depositAddress } from './treasury.ts'

/**
 * The sources of a sweep. A second attempt sweeps the same addresses as the first: its sequences are those of the slot.
 */
export async function sourcesOf(
  chain: CosmosChain,
  node: Node,
  { sources, token }: Extract<Order, { kind: 'sweep' }>,
  earlier: Transaction | null,
): Promise<SourceTerms[]> {
  const { settings, signer } = chain
  if (sources.length > MAX_SOURCES) throw new Bug(`a sweep takes ${MAX_SOURCES} addresses here`, {})
  const denom = denomOf(token, settings.denom)
  const found = await Promise.all(
    sources.map(async ({ address, index, branch }) => {
      const derived = await depositAddress(signer, settings, index, branch)
      if (derived !== address) throw new Bug('a deposit address is not the one of its index', { address, index })
      const [units, own] = await Promise.all([spendable(node, address, denom), account(node, address, null)])
      return { address, units, own }
    }),
  )
  const takes = ({ address, units }: { address: string; units: bigint }) =>
    earlier ? earlier.signers.some((signed) => signed.address === address) : units > 0n
  return filled(
    found.filter(takes).map(({ address, units, own }) => {
      if (!own || units === 0n) throw new RetryLater(`nothing is left to take from ${address}`)
      return { address, accountNumber: own.number, sequence: own.sequence, units }
    }),
  )
}

function filled(sources: SourceTerms[]): SourceTerms[] {
  if (sources.length === 0) throw new RetryLater('there is nothing to sweep')
  return sources
}

/**
 * The maximum cost of a transaction and the programs that may move tokens, whatever its draft says. A signer that
 * trusts no draft runs this too, so it depends on the order, the draft and the settings alone.
 */
import { type Address, Bug, type FeeBounds, type MaxSigningCost, type Order, RetryLater } from '@causeway/core'
import { TOKEN_PROGRAM } from '../address.ts'
import type { SolanaChain } from '../chain.ts'
import type { Settings } from '../settings.ts'
import { programOf } from '../tokens.ts'
import { ACCOUNT_RENT, feeOf } from './fees.ts'
import type { Terms } from './terms.ts'

/** The most compute units that a transaction may ask for. */
export const MOST_UNITS = 1_400_000n
/** Rent in lamports of a token account of the newer program, which may have some extensions. */
const LONG_ACCOUNT_RENT = 6_000_000n

export function exposureOf(chain: SolanaChain, order: Order, terms: Terms): MaxSigningCost {
  const { settings, treasury, network } = chain
  if (order.account !== treasury) throw new Bug('not our treasury', { account: order.account })
  const tokens = order.kind === 'transfers' ? order.transfers.map(({ amount }) => amount.token) : []
  const swept = order.kind === 'sweep' ? [order.token] : []
  const foreign = [...tokens, ...swept].find((token) => token.network !== network.name)
  if (foreign) throw new Bug('a token of another network', { token: foreign.symbol, network: foreign.network })
  const { units, unitPrice, takings } = terms
  if (units < 0n || units > MOST_UNITS)
    throw new RetryLater(`it asks for ${units} units, and may ask for ${MOST_UNITS}`)
  if (unitPrice < 0n || unitPrice > settings.maxUnitPrice) {
    throw new RetryLater(`it offers ${unitPrice} for a unit, and may offer ${settings.maxUnitPrice}`)
  }
  const signatures = 1 + takings.filter((taken) => taken > 0n).length
  const rents = [...tokens, ...swept].map(({ contract }) => (contract === null ? 0n : rentOf(settings, contract)))
  return { feeUnits: feeOf(signatures, units, unitPrice) + rents.reduce((sum, rent) => sum + rent, 0n) }
}

/**
 * The default fee limits of a signer: the cost of a token payment whose account must be created. It usually costs a
 * quarter of it.
 */
export function feeBounds(settings: Settings): FeeBounds {
  const rent = settings.token2022.length > 0 ? LONG_ACCOUNT_RENT : ACCOUNT_RENT
  const payment = feeOf(1, MOST_UNITS, settings.maxUnitPrice) + rent
  return { payment, hour: 300n * payment }
}

function rentOf(settings: Settings, mint: Address): bigint {
  return programOf(settings, mint) === TOKEN_PROGRAM ? ACCOUNT_RENT : LONG_ACCOUNT_RENT
}

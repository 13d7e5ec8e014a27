/** What becomes of a deposit that is not on the chain any more, and of one that belongs to nobody. */
import { type ChainAdapter, depositArrived, reversed } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { setUnmatchedState } from '../../store/deposits/deposits.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { DepositRow } from '../../store/swaps/swaps.ts'
import { applyWithin } from '../swap/advance.ts'

/** Tells whose it was, in the caller's transaction. */
export async function forgetDeposit(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
): Promise<void> {
  const { id: depositId, swap_id: swapId, tx_hash: txHash } = deposit
  services.metrics.deposits.inc({ network: chain.network.name, outcome: 'gone' })
  services.log.warn({ network: chain.network.name, txHash, swapId }, 'deposit is gone')
  if (swapId) await applyWithin(services, queries, swapId, { type: 'deposit_gone', depositId })
  else await settleUnmatched(services, queries, chain, deposit, 'gone')
}

/** Deposits of nobody are in the books too. */
export async function settleUnmatched(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  deposit: DepositRow,
  state: 'confirmed' | 'gone',
): Promise<void> {
  const settled = await setUnmatchedState(queries, deposit.id, state, deposit.state)
  if (!settled) return
  const token = services.catalogue.token(chain.network.name, settled.token)
  const arrival = depositArrived(null, settled.to_address, token, settled.units)
  if (state === 'confirmed') await insertPosting(queries, arrival, null)
  else if (deposit.state === 'confirmed') await insertPosting(queries, reversed(arrival, 'deposit gone'), null)
}

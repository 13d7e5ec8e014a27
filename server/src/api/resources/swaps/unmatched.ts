/**
 * GET /unmatched/{transactionHash}: shows the sender of an unmatched deposit that it arrived, and what happens with it.
 */
import { envelope, TransactionHashParams, UnmatchedDeposit } from '@causeway/sdk'
import { z } from 'zod'
import type { Services } from '../../../services.ts'
import { findUnmatched } from '../../../store/deposits/unmatched.ts'
import type { ClientQueue } from '../../access/client-queue.ts'
import type { Api } from '../../http/schema.ts'

type Row = Awaited<ReturnType<typeof findUnmatched>>[number]

export function unmatchedRoutes(api: Api, { reading }: Services, turns: ClientQueue): void {
  api.get(
    '/unmatched/:transactionHash',
    { schema: { params: TransactionHashParams, response: { 200: envelope(z.array(UnmatchedDeposit)) } } },
    async (request, reply) => {
      const rows = await turns(request, reply, () => findUnmatched(reading, request.params.transactionHash))
      return { data: rows.map(present) }
    },
  )
}

function present(row: Row): UnmatchedDeposit {
  return {
    network: row.network,
    transaction_hash: row.tx_hash,
    seen_at: row.seen_at.toISOString(),
    state: stateOf(row),
  }
}

function stateOf({ state, resolution }: Row): UnmatchedDeposit['state'] {
  if (resolution === 'refunded' || resolution === 'recorded') return 'returned'
  if (resolution === 'ignored' || resolution === 'capital') return 'kept'
  return state === 'confirmed' ? 'waiting' : 'confirming'
}

/** Advances a swap without a chain: the watcher's events are passed to `advance` directly. */
import { randomUUID } from 'node:crypto'
import { applyEvent } from '../../../server/src/flow/swap/advance.ts'
import type { Services } from '../../../server/src/services.ts'
import { readSwap, toDeposit } from '../../../server/src/store/swaps/swaps.ts'

export interface Moves {
  /** A deposit is seen and confirmed; the whole amount by default, so that the swap pays out. */
  deposit(units?: bigint): Promise<void>
  /** The payout is confirmed. */
  complete(): Promise<void>
}

export function movesOf(services: Services, swapId: string): Moves {
  const record = async () => {
    const found = await readSwap(services.database, swapId)
    if (!found) throw new Error(`no swap ${swapId}`)
    return found
  }
  return {
    async deposit(units) {
      const { row } = await record()
      const seen = await services.database
        .insertInto('deposit')
        .values({
          network: row.source_network,
          tx_hash: randomUUID(),
          index: 0,
          block_number: 1n,
          block_hash: 'block',
          from_address: 'sender',
          to_address: row.receiver,
          token: row.source_token,
          units: units ?? row.requested_units ?? 1n,
          reference: row.reference,
          swap_id: swapId,
          state: 'seen',
          confirmations_wanted: 1,
          seen_at: services.now(),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await applyEvent(services, swapId, { type: 'deposit_seen', deposit: toDeposit(seen) })
      await applyEvent(services, swapId, { type: 'deposit_confirmed', depositId: seen.id, units: seen.units })
    },
    async complete() {
      const { payouts } = await record()
      const output = payouts.find(({ kind }) => kind === 'output')
      if (!output) throw new Error('nothing is to be paid')
      const from = output.account
      await applyEvent(services, swapId, { type: 'payout_confirmed', kind: 'output', depositId: null, from })
    },
  }
}

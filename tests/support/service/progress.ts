/**
 * Moves a swap along its path as the flow does, without a chain: deposits are seen and credited, payouts are confirmed.
 */
import { type PayoutKind, type Sighting, tokenKey } from '@causeway/core'
import { recordSightings } from '../../../server/src/flow/deposits/record-observations.ts'
import { applyEvent } from '../../../server/src/flow/swap/advance.ts'
import { setRefundAddress } from '../../../server/src/flow/swap/set-refund-address.ts'
import { takeGiven } from '../../../server/src/store/db/testing.ts'
import { recordLanding } from '../../../server/src/store/payouts/payouts.ts'
import type { PayoutRow } from '../../../server/src/store/swaps/swaps.ts'
import type { TestServices } from './services.ts'

/** A deposit for the swap is seen in a block. Returns its id. */
export async function seeDeposit(
  services: TestServices,
  swapId: string,
  fields: Partial<Sighting> = {},
  units?: bigint,
): Promise<string> {
  const row = await services.database.selectFrom('swap').selectAll().where('id', '=', swapId).executeTakeFirstOrThrow()
  const chain = services.chains.get(row.source_network)
  if (!chain) throw new Error(`no chain ${row.source_network}`)
  const token = services.catalogue.token(row.source_network, row.source_token)
  const txHash = `0x${crypto.randomUUID().replaceAll('-', '')}`
  const sighting: Sighting = {
    txHash,
    index: 0,
    block: { number: 100n, hash: 'block' },
    refundableSender: null,
    fundingAddresses: [],
    to: row.receiver,
    amount: { token, units: units ?? row.requested_units ?? 0n },
    reference: row.uses_deposit_address ? null : row.reference,
    ...fields,
  }
  await services.database
    .transaction()
    .execute((queries) => recordSightings(services, queries, chain, [sighting], 'scan'))
  const deposit = await services.database
    .selectFrom('deposit')
    .select('id')
    .where('tx_hash', '=', sighting.txHash)
    .where('token', '=', tokenKey(token))
    .executeTakeFirstOrThrow()
  return deposit.id
}

export async function confirmDeposit(services: TestServices, swapId: string, depositId: string): Promise<void> {
  const { units } = await services.database
    .selectFrom('deposit')
    .select('units')
    .where('id', '=', depositId)
    .executeTakeFirstOrThrow()
  await applyEvent(services, swapId, { type: 'deposit_confirmed', depositId, units })
}

/** Confirms every open payout of the swap. */
export async function landPayouts(services: TestServices, swapId: string): Promise<void> {
  for (const payout of await openPayouts(services, swapId)) {
    const landing = { hash: `0x${crypto.randomUUID().replaceAll('-', '')}`, block: 200n, feeUnits: 21_000n }
    await recordLanding(services.database, payout.id, landing)
    const kind = payout.kind as PayoutKind
    const event = { type: 'payout_confirmed', kind, depositId: payout.deposit_id, from: payout.account } as const
    await applyEvent(services, swapId, event)
  }
}

export function openPayouts({ database }: TestServices, swapId: string): Promise<PayoutRow[]> {
  return database.selectFrom('payout').selectAll().where('swap_id', '=', swapId).where('state', '=', 'open').execute()
}

/** The worker's handling of given refund addresses. Returns how many there were. */
export async function takeAddresses(services: TestServices): Promise<number> {
  const given = await takeGiven(services.database)
  for (const one of given) await setRefundAddress(services, one)
  return given.length
}

/** Sets a refund address for all deposits of a swap, and runs the worker's step. */
export async function nameAddress(services: TestServices, swapId: string, address: string): Promise<void> {
  const deposits = await services.database.selectFrom('deposit').select('id').where('swap_id', '=', swapId).execute()
  const depositIds = deposits.map(({ id }) => id)
  await setRefundAddress(services, { swapId, address, by: 'operator', depositIds, signers: [] })
}

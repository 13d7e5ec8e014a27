/**
 * Every swap has ended, or waits for an operator for a reason that is true in this world. Every swap was settled
 * exactly once.
 */

import { chainIn, type World } from '../world/world.ts'
import type { Problem } from './problem.ts'

interface Row {
  number: number
  status: string
  fail_reason: string | null
  source_network: string
  source_token: string
  uses_deposit_address: boolean
  refund_address: string | null
  source_address: string | null
  quote: { requestedUnits: string; receiveUnits: string; refuelInSourceUnits: string } | null
  destination_address: string
}

interface DepositRow {
  number: number
  state: string
  units: string
  spent: string
  output_units: string
  from_address: string | null
  refund_address: string | null
  /** Whether an operator rejected its refund. */
  is_refused: boolean
}

interface PayoutRow {
  number: number
  kind: string
  state: string
  units: string
  to_address: string
  /** The code of its open hold. */
  held: string | null
  detail: string | null
}

const ENDS = ['completed', 'failed', 'expired', 'refunded', 'pending_refund']

export async function checkSwaps(world: World): Promise<Problem[]> {
  const swaps = await world.query<Row>(
    `select reference::float8 as number, status, fail_reason, source_network, source_token, uses_deposit_address,
       refund_address, source_address, quote, destination_address from swap order by ordinal`,
  )
  const deposits = await world.query<DepositRow>(
    `select s.reference::float8 as number, d.state, d.units, d.output_units + d.refund_units as spent,
       d.output_units, d.from_address, d.refund_address, exists (select from payout p where p.deposit_id = d.id
         and p.kind in ('refund', 'return') and p.state = 'abandoned' and p.rejected_at is not null) as is_refused
     from deposit d join swap s on s.id = d.swap_id`,
  )
  const payouts = await world.query<PayoutRow>(
    `select s.reference::float8 as number, p.kind, p.state, p.units, p.to_address,
       (select code from hold where payout_id = p.id and closed_at is null limit 1) as held,
       (select detail from hold where payout_id = p.id and closed_at is null limit 1) as detail
     from payout p join swap s on s.id = p.swap_id where p.state <> 'abandoned'`,
  )
  return swaps.flatMap((swap) => {
    const own = deposits.filter(({ number }) => number === swap.number)
    const paid = payouts.filter(({ number }) => number === swap.number)
    return problemsOf(world, swap, own, paid).map((what) => ({ what, swap: swap.number }))
  })
}

function problemsOf(world: World, swap: Row, deposits: DepositRow[], payouts: PayoutRow[]): string[] {
  const problems: string[] = []
  const must = (holds: boolean, what: string) => void (holds || problems.push(what))
  const ofKind = (kind: string) => payouts.filter((payout) => payout.kind === kind)
  const waiting = payouts.filter(({ state }) => state === 'open')
  const isScreened = [
    ...payouts.map(({ to_address }) => to_address),
    ...deposits.map((deposit) => deposit.from_address),
  ].some((address) => world.listing.listed.has(address ?? ''))
  for (const { kind, held, detail } of waiting) {
    const isExplained = (isScreened && held === 'screened') || (world.disasters.storm.theft && held === 'wallet_halted')
    must(isExplained, `a ${kind} is still open: ${held ?? 'not held'}${detail ? ` (${detail})` : ''}`)
  }
  must(ENDS.includes(swap.status) || waiting.length > 0, `it is still ${swap.status}`)
  must(ofKind('output').length <= 1 && ofKind('refuel').length <= 1, 'more than one output or refuel stands')
  must(ofKind('output').length === 0 || ofKind('refund').length === 0, 'an output and a refund stand')
  const isDelivered =
    ofKind('output').some(({ state }) => state === 'confirmed') &&
    ofKind('refuel').every(({ state }) => state === 'confirmed')
  must((swap.status === 'completed') === isDelivered, `it is ${swap.status} with ${ofKind('output').length} outputs`)
  if (swap.status === 'refunded') must(ofKind('refund').length > 0, 'it is refunded without a refund')
  const [output] = ofKind('output')
  if (output) {
    must(output.units === swap.quote?.receiveUnits, `it paid ${output.units} instead of ${swap.quote?.receiveUnits}`)
    must(output.to_address === swap.destination_address, 'it paid somebody else')
    const used = deposits.reduce((sum, deposit) => sum + BigInt(deposit.output_units), 0n)
    // The share of a refuel that could not be paid was returned.
    const share = ofKind('refuel').length === 1 ? 0n : BigInt(swap.quote?.refuelInSourceUnits ?? 0)
    const wanted = BigInt(swap.quote?.requestedUnits ?? 0) - share
    must(used === wanted, `its output used ${used} of ${wanted}`)
  }
  for (const deposit of deposits) {
    const left = BigInt(deposit.units) - BigInt(deposit.spent)
    must(left >= 0n, 'more was spent of a deposit than it brought')
    if (deposit.state === 'confirmed' && left > 0n)
      must(isHeld(world, swap, deposit, left), `${left} units are held without a reason`)
    // The operator bears a loss only if the user was paid.
    if (deposit.state === 'lost') must(payouts.length > 0, 'a deposit is lost and nobody was paid')
  }
  return problems
}

/**
 * Money that waits for an operator: one rejected its refund, no recipient is known, the known one rejects it, or it does
 * not cover the gas.
 */
function isHeld(world: World, swap: Row, deposit: DepositRow, left: bigint): boolean {
  if (deposit.is_refused) return true
  const isSenderSafe = !swap.uses_deposit_address || deposit.from_address === swap.source_address
  const target = deposit.refund_address ?? swap.refund_address ?? (isSenderSafe ? deposit.from_address : null)
  if (target === null || chainIn(world, swap.source_network).blocked.has(target)) return true
  const token = world.base.catalogue.token(swap.source_network, swap.source_token)
  const fee = world.processes[0]?.life.services.market.sendingFee(token) ?? 0n
  return swap.status === 'pending_refund' && left <= fee
}

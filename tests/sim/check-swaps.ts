/** Every swap ended, or what it waits for is known; and nobody got more than one way of settling, or less than one. */
import type { Problem } from './check.ts'
import type { World } from './world.ts'

interface Row {
  number: number
  status: string
  fail_reason: string | null
  uses_deposit_address: boolean
  refund_address: string | null
  source_address: string | null
  quote: { requestedUnits: string; receiveUnits: string } | null
  destination_address: string
}

interface DepositRow {
  number: number
  state: string
  units: string
  spent: string
  output_units: string
  from_address: string | null
  refusals: number
}

interface PayoutRow {
  number: number
  kind: string
  state: string
  units: string
  to_address: string
}

const ENDS = ['completed', 'failed', 'expired', 'refunded', 'pending_refund']

export async function checkSwaps(world: World): Promise<Problem[]> {
  const swaps = await world.query<Row>(
    `select (sequence - 1000000)::int as number, status, fail_reason, uses_deposit_address, refund_address, source_address,
       quote, destination_address from swap order by sequence`,
  )
  const deposits = await world.query<DepositRow>(
    `select (s.sequence - 1000000)::int as number, d.state, d.units, d.output_units + d.refund_units as spent,
       d.output_units, d.from_address,
       (select count(*)::int from payout p where p.deposit_id = d.id and p.state = 'abandoned') as refusals
     from deposit d join swap s on s.id = d.swap_id`,
  )
  const payouts = await world.query<PayoutRow>(
    `select (s.sequence - 1000000)::int as number, p.kind, p.state, p.units, p.to_address
     from payout p join swap s on s.id = p.swap_id where p.state <> 'abandoned'`,
  )
  return swaps.flatMap((swap) => {
    const own = deposits.filter(({ number }) => number === swap.number)
    const paid = payouts.filter(({ number }) => number === swap.number)
    return problemsOf(swap, own, paid).map((what) => ({ what, swap: swap.number }))
  })
}

function problemsOf(swap: Row, deposits: DepositRow[], payouts: PayoutRow[]): string[] {
  const problems: string[] = []
  const must = (holds: boolean, what: string) => void (holds || problems.push(what))
  const ofKind = (kind: string) => payouts.filter((payout) => payout.kind === kind)
  must(ENDS.includes(swap.status), `it is still ${swap.status}`)
  must(
    payouts.every(({ state }) => state === 'confirmed'),
    'a payout is still open',
  )
  must(ofKind('output').length <= 1 && ofKind('refuel').length <= 1, 'more than one output or refuel stands')
  must(ofKind('output').length === 0 || ofKind('refund').length === 0, 'an output and a refund stand')
  must(
    (swap.status === 'completed') === (ofKind('output').length === 1),
    `it is ${swap.status} with ${ofKind('output').length} outputs`,
  )
  if (swap.status === 'refunded') must(ofKind('refund').length > 0, 'it is refunded without a refund')
  const [output] = ofKind('output')
  if (output) {
    must(output.units === swap.quote?.receiveUnits, `it paid ${output.units} instead of ${swap.quote?.receiveUnits}`)
    must(output.to_address === swap.destination_address, 'it paid somebody else')
    const used = deposits.reduce((sum, deposit) => sum + BigInt(deposit.output_units), 0n)
    must(`${used}` === swap.quote?.requestedUnits, `its output used ${used} of ${swap.quote?.requestedUnits}`)
  }
  for (const deposit of deposits) {
    const left = BigInt(deposit.units) - BigInt(deposit.spent)
    must(left >= 0n, 'more was spent of a deposit than it brought')
    if (deposit.state === 'confirmed' && left > 0n) must(isHeld(swap, deposit), `${left} units are owed to nobody`)
    // The operator bears a loss only where the user was served.
    if (deposit.state === 'lost') must(payouts.length > 0, 'a deposit is lost and nobody was paid')
  }
  return problems
}

/** Money that waits for a person, for a reason that a person can see. */
function isHeld(swap: Row, deposit: DepositRow): boolean {
  if (swap.status === 'pending_refund' || deposit.refusals >= 3) return true
  const isSenderKnown = deposit.from_address !== null && deposit.from_address === swap.source_address
  return swap.uses_deposit_address && swap.refund_address === null && !isSenderKnown
}

/**
 * Every completed swap earned its promised reward, once. All rewards are paid in one payout per address and period,
 * within the budget.
 */

import { isShort, PERIOD_MS } from '../people/rewards.ts'
import { chainIn, sinceStart, type World } from '../world/world.ts'
import type { Problem } from './problem.ts'

/** The clock of a process may be ahead by this much. */
const SKEW_MS = 20_000

interface Row {
  number: number
  status: string
  destination_address: string
  created_at: Date
  promised: string | null
  address: string | null
  period: number | null
  units: string | null
  payout: string | null
}

interface PayoutRow {
  id: string
  state: string
  units: string
  to_address: string
  period: number
  /** The code of its open hold. */
  held: string | null
  created_at: Date
}

export async function checkRewards(world: World): Promise<Problem[]> {
  const [campaign] = world.base.campaigns.list
  if (!campaign) return []
  const swaps = await world.query<Row>(
    `select s.reference::float8 as number, s.status, s.destination_address, s.created_at,
       s.quote_view->'reward'->>'units' as promised, r.address, r.period, r.units, r.payout_id as payout
     from swap s left join reward r on r.swap_id = s.id order by s.ordinal`,
  )
  const payouts = await world.query<PayoutRow>(
    `select id, state, units, to_address, period, created_at,
       (select code from hold where payout_id = payout.id and closed_at is null limit 1) as held
     from payout where kind = 'reward'`,
  )
  const [books] = await world.query<{ earned: string; ordered: string; budget: string }>(
    'select earned_units as earned, ordered_units as ordered, budget_units as budget from campaign',
  )
  const problems = swaps.flatMap((swap) =>
    breachesOf(world, swap, payouts).map((what) => ({ what, swap: swap.number })),
  )
  const must = (holds: boolean, what: string) => void (holds || problems.push({ what, swap: -1 }))
  const earned = swaps.reduce((sum, { units }) => sum + BigInt(units ?? 0), 0n)
  const standing = payouts.filter(({ state }) => state !== 'abandoned')
  const ordered = standing.reduce((sum, { units }) => sum + BigInt(units), 0n)
  must(earned <= campaign.budgetUnits, `${earned} were earned of a budget of ${campaign.budgetUnits}`)
  must(
    `${earned}` === books?.earned && `${ordered}` === books.ordered,
    'the campaign counts otherwise than its rewards',
  )
  for (const { id, units, to_address, period, state, held, created_at } of standing) {
    const own = swaps.filter(({ payout }) => payout === id)
    const sum = own.reduce((total, one) => total + BigInt(one.units ?? 0), 0n)
    must(`${sum}` === units, `a reward of ${units} is paid for ${sum}`)
    must(
      own.every((one) => one.address === to_address && (one.period ?? 0) <= period),
      'a reward is paid to another',
    )
    const isOver = sinceStart(created_at) + SKEW_MS >= (period + 1) * PERIOD_MS
    must(isOver, `a reward of the period ${period} was ordered before its end`)
    const again = standing.filter((other) => other.to_address === to_address && other.period === period)
    must(again.length === 1, `a reward is ordered ${again.length} times`)
    const isScreened = world.listing.listed.has(to_address) && held === 'screened'
    const isUndone = own.some(({ status }) => status !== 'completed')
    must(state === 'confirmed' || isScreened || isUndone, `a reward is still open${held ? `: ${held}` : ''}`)
  }
  return problems.map(({ what, swap }) => ({ what, swap: swap < 0 ? null : swap }))
}

function breachesOf(world: World, swap: Row, payouts: readonly PayoutRow[]): string[] {
  const problems: string[] = []
  const must = (holds: boolean, what: string) => void (holds || problems.push(what))
  const { status, promised, units, address, period, payout } = swap
  const [campaign] = world.base.campaigns.list
  if (units === null) {
    must(status !== 'completed' || promised === null || isShort(world.seed), 'what it earned was never noted')
    return problems
  }
  const isCut = isShort(world.seed) && BigInt(units) < BigInt(promised ?? 0)
  must(units === promised || isCut, `it earned ${units} of ${promised}`)
  must(address === swap.destination_address, 'somebody else earned its reward')
  must(period === Math.floor(sinceStart(swap.created_at) / PERIOD_MS), `it earned in the period ${period}`)
  const taken = payouts.find(({ id }) => id === payout)
  const isRefused = chainIn(world, campaign?.token.network ?? '').blocked.has(address ?? '')
  if (status === 'completed')
    must(taken?.state === 'confirmed' || taken?.state === 'open' || isRefused, 'its reward is paid by nobody')
  return problems
}

/**
 * The operator's rules: no payout starts to a listed address, above the threshold without approval, or while paused.
 */

import { APPROVAL_ABOVE } from '../people/operator.ts'
import { type Pause, sinceStart, type World } from '../world/world.ts'
import type { Problem } from './problem.ts'

interface Begun {
  swap: number | null
  kind: string
  network: string
  token: string
  units: string
  to_address: string
  approved_at: Date | null
  /** When its slot was allocated. */
  at: Date
  senders: string[]
}

export async function checkRules(world: World): Promise<Problem[]> {
  const begun = await world.query<Begun>(
    `select s.reference::float8 as swap, p.kind, p.network, p.token, p.units, p.to_address,
       (select min(decision.at) from decision join hold on hold.id = hold_id
         where hold.payout_id = p.id and answer = 'approve') as approved_at,
       slot.created_at as at,
       coalesce((select array_agg(sender) from deposit d, unnest(d.senders) sender where d.seen_at < slot.created_at
         and case when p.deposit_id is null then d.swap_id = p.swap_id and d.output_units > 0 else d.id = p.deposit_id end
       ), '{}') as senders
     from payout p join slot_payout sp on sp.payout_id = p.id join slot on slot.id = sp.slot_id
     left join swap s on s.id = p.swap_id where p.kind <> 'sweep'`,
  )
  return begun.flatMap((payout) =>
    breachesOf(world, payout).map((what) => ({ what: `a ${payout.kind} was begun ${what}`, swap: payout.swap })),
  )
}

function breachesOf({ listing, pauses, base }: World, payout: Begun): string[] {
  const { network, token, units, approved_at } = payout
  const atMs = sinceStart(payout.at)
  const isApproved = approved_at !== null && approved_at <= payout.at
  const breaches: string[] = []
  if (pauses.some((pause) => covers(pause, network, token) && pause.fromMs < atMs && atMs < pause.toMs))
    breaches.push('while it was paused')
  const isListed = (address: string) => (listing.listed.get(address) ?? Number.POSITIVE_INFINITY) < atMs
  if (!isApproved && [payout.to_address, ...payout.senders].some(isListed)) breaches.push('for somebody on the list')
  // The price of the other token moves, so its value at that moment is unknown now.
  const listed = base.catalogue.token(network, token)
  const isWorthMore = listed.group === 'USDC' && BigInt(units) > APPROVAL_ABOVE * 10n ** BigInt(listed.decimals)
  if (isWorthMore && !isApproved) breaches.push('although nobody had approved it')
  return breaches
}

function covers({ scope }: Pause, network: string, token: string): boolean {
  return ['service', `network:${network}`, `token:${network}/${token}`].includes(scope)
}

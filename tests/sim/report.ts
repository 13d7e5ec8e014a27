/**
 * Prints the result of a run: one line if all is well; else the problems, and the history of the first affected swap.
 */
import type { Run } from './run.ts'
import { type Line, showLine } from './timeline.ts'
import type { World } from './world/world.ts'

const MAX_PROBLEMS = 12

export async function report({ world, problems, steps }: Run, wanted: number | null): Promise<string> {
  const ends = await world.query<{ status: string; count: number }>(
    'select status, count(*)::int as count from swap group by 1 order by 2 desc',
  )
  const counts = ends.map(({ status, count }) => `${count} ${status}`).join(', ')
  const verdict = problems.length === 0 ? 'ok  ' : 'FAIL'
  const forgotten = world.lostSwaps.size > 0 ? `, ${world.lostSwaps.size} forgotten by a restore` : ''
  const lines = [`seed ${world.seed}: ${verdict} ${steps} steps, ${counts}${forgotten}, digest ${world.story.digest()}`]
  lines.push(
    ...problems.slice(0, MAX_PROBLEMS).map(({ what, swap }) => `  ✗ ${swap === null ? '' : `swap ${swap}: `}${what}`),
  )
  const told = wanted ?? problems.find(({ swap }) => swap !== null)?.swap ?? null
  if (told !== null) lines.push(`\nThe story of swap ${told}:`, ...(await storyOf(world, told)), '')
  return lines.join('\n')
}

/** The user's actions, global events meanwhile, and the database's history of the swap, in order. */
async function storyOf(world: World, number: number): Promise<string[]> {
  const own = world.story.lines.filter(({ swap }) => swap === number)
  const [first, last] = [own[0]?.atMs ?? 0, (own.at(-1)?.atMs ?? 0) + 1_200_000]
  const around = world.story.lines.filter(
    ({ swap, atMs, who }) => (swap === number || (swap === null && who !== 'reaper')) && atMs >= first && atMs <= last,
  )
  const quiet = /^(watches|keeps|reads|takes|runs|starts)/
  const told = around.filter(({ what, swap }) => swap === number || !quiet.test(what))
  const kept = await keptOf(world, number)
  return [...told, ...kept].sort((a, b) => a.atMs - b.atMs).map(showLine)
}

async function keptOf(world: World, number: number): Promise<Line[]> {
  const rows = await world.query<{ at: Date; what: string }>(
    `with s as (select * from swap where reference = $1)
     select e.at, 'event ' || e.type || ' → ' || e.status || ' ' || left(e.data::text, 160) as what
       from swap_event e join s on s.id = e.swap_id
     union all select l.at, 'posting ' || l.reason || ': ' || l.account || ' ' || l.units from ledger_entry l join s on s.id = l.swap_id
     union all select d.seen_at, 'deposit ' || left(d.tx_hash, 8) || ' ' || d.units || ' is ' || d.state || ', block ' || coalesce(d.block_number::text, '-')
       || ', used ' || d.output_units || '+' || d.refund_units from deposit d join s on s.id = d.swap_id
     union all select p.created_at, 'payout ' || p.kind || ' ' || p.units || ' is ' || p.state || coalesce((select ', held: ' || code || ' ' || params from hold where payout_id = p.id and closed_at is null limit 1), '')
       from payout p join s on s.id = p.swap_id
     union all select coalesce(a.sent_at, a.created_at), 'attempt ' || a.number || ' of ' || p.kind || ' in slot ' || array_to_string(sl.parts, ' ') || ' (' || sl.state
       || ') is ' || left(a.hash, 8) from payout p join s on s.id = p.swap_id join slot_payout sp on sp.payout_id = p.id
       join slot sl on sl.id = sp.slot_id join attempt a on a.slot_id = sl.id`,
    [number],
  )
  const began = Date.UTC(2040, 0, 1)
  return rows.map(({ at, what }) => ({ atMs: at.getTime() - began, who: 'database', what, swap: null }))
}

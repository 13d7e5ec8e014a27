import { startCluster } from './database.ts'
import { run } from './run.ts'

const c = await startCluster()
const r = await run(c, { seed: Number(process.argv[2]), swaps: Number(process.argv[3]) })
console.log(r.problems.slice(0, 10))
console.table(
  await r.world.query(
    "select p.id, kind, state, started, network, held_reason, reverts, sent_at, tx_hash is not null as tx, (select string_agg(sl.id||':'||array_to_string(sl.parts,',')||' '||sl.state||' live='||sp.live||' attempts='||(select count(*) from attempt a where a.slot_id=sl.id),'; ') from slot_payout sp join slot sl on sl.id=sp.slot_id where sp.payout_id=p.id) as slots from payout p where state='open' or exists (select 1 from slot_payout sp join slot sl on sl.id=sp.slot_id where sp.payout_id=p.id and sl.state='open')",
  ),
)
for (const [n, ch] of r.world.chains)
  console.log(
    n,
    ch.height,
    'nonce',
    ch.nonce(r.world.base.chains.get(n)?.treasury ?? ''),
    'mempool',
    ch.mempool.map((m) => `${m.nonce}:${m.fee}:${m.hash.slice(0, 6)}`).slice(0, 5),
  )
console.table(await r.world.query('select * from wallet_halt').catch(() => []))
const w = r.world,
  life = w.processes[0]!.life
for (const row of await w.query<any>(
  "select p.id, p.network, a.hash, a.bytes, a.sent_at, s.parts, a.number from payout p join slot_payout sp on sp.payout_id=p.id join slot s on s.id=sp.slot_id join attempt a on a.slot_id=s.id where s.state='open' order by s.id limit 2",
)) {
  const ch = w.chains.get(row.network)!
  console.log(
    row.id,
    row.hash.slice(0, 8),
    row.bytes,
    row.sent_at,
    w.elapsedMs,
    'find',
    ch.find(row.hash)?.height,
    'submit',
    ch.submit(row.bytes),
  )
  console.log(
    await life.services.chains
      .get(row.network)!
      .status({ hash: row.hash, slot: row.parts, account: life.services.chains.get(row.network)!.treasury }),
  )
  ch.mine()
  console.log('mined', ch.find(row.hash))
}
console.table(
  await w.query(
    'select j.id, key, run_at, attempts, j.locked_by as jl, last_error, j.job_queue_id, q.locked_by as ql from graphile_worker._private_jobs j left join graphile_worker._private_job_queues q on q.id=j.job_queue_id limit 20',
  ),
)
console.log(w.story.lines.filter((l) => l.what.includes('runs pay')).length, w.deadWorkers, w.elapsedMs)
await r.world.stop()
await c.stop()

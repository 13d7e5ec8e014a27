import { startCluster } from './database.ts'
import { run } from './run.ts'

const c = await startCluster()
const r = await run(c, { seed: Number(process.argv[2]), swaps: Number(process.argv[3]) })
const w = r.world
console.log(
  r.problems.slice(0, 4),
  w.deadWorkers,
  w.processes.map((p) => [p.life.name, p.paused !== null, p.life.dead, p.skewMs]),
)
console.table(
  await w.query(
    "select p.kind, p.state, p.started, p.network, p.held_reason, p.reverts, sl.parts, sl.state as slot, sp.live, (select count(*) from attempt a where a.slot_id=sl.id) as attempts, (select max(sent_at) from attempt a where a.slot_id=sl.id) as sent, j.run_at, j.attempts as tries, j.locked_by, j.last_error from payout p left join slot_payout sp on sp.payout_id=p.id left join slot sl on sl.id=sp.slot_id left join graphile_worker._private_jobs j on j.key='pay:'||p.id where p.state='open' or sl.state='open' order by p.network, sl.id limit 14",
  ),
)
for (const [n, ch] of w.chains)
  console.log(
    n,
    ch.height,
    'nonce',
    ch.nonce(w.base.chains.get(n)?.treasury ?? ''),
    'mempool',
    ch.mempool.map((m) => `${m.nonce}:${m.fee}:${m.hash.slice(0, 6)}`).slice(0, 5),
  )
console.table(await w.query('select * from graphile_worker._private_job_queues'))
console.table(await w.query('select id, network, parts, state from slot order by id desc limit 12'))
await w.stop()
await c.stop()

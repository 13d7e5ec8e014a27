/**
 * Payouts per second on each family's local chain, through the whole path (guards, slot, signature, two commits, broadcast,
 * confirmation), beside a bare sender: the same adapter in a loop without a database. Recipients are counted on chain.
 */
import { randomUUID } from 'node:crypto'
import type { ChainAdapter, Network, Order, Slot } from '@causeway/core'
import { startSandbox } from '@causeway/devnet'
import pg from 'pg'
import { eventually } from '../support/runner/eventually.ts'

const PAYOUTS = Number(process.env.PAYOUTS ?? 200)
const TIMEOUT_MS = 300_000

type Sandbox = Awaited<ReturnType<typeof startSandbox>>

export async function payouts(): Promise<void> {
  // Coins leave here without a payout, on purpose: the books must not be compared meanwhile.
  const sandbox = await startSandbox({ env: { LOG_LEVEL: 'fatal', RECONCILE_INTERVAL_SECONDS: '86400' } })
  const pool = new pg.Pool({ connectionString: sandbox.databaseUrl, max: 2 })
  try {
    const seen = new Set<string>()
    for (const network of sandbox.catalogue.networks) {
      if (seen.has(network.type)) continue
      seen.add(network.type)
      await benchNetwork(sandbox, pool, network)
    }
  } finally {
    await pool.end()
    await sandbox.stop()
  }
}

async function benchNetwork(sandbox: Sandbox, pool: pg.Pool, network: Network): Promise<void> {
  const chain = sandbox.service?.services.chains.get(network.name)
  const devnet = sandbox.devnets.get(network.name)
  if (!chain || !devnet) throw new Error(`no chain for ${network.name}`)
  const units = 10n ** BigInt(Math.max(network.nativeToken.decimals - 3, 0))
  const recipients = async () => Promise.all(Array.from({ length: PAYOUTS }, () => freshAddress(sandbox, network)))
  const bareTargets = await recipients()
  const bare = await timed(() => sendBare(chain, bareTargets, units))
  const targets = await recipients()
  const ours = await timed(() => sendOurs(pool, chain, targets, units))
  const balances = await Promise.all(targets.map((target) => devnet.balance(network.nativeToken, target)))
  const exact = balances.filter((balance) => balance === units).length
  const rate = (ms: number) => `${((PAYOUTS / ms) * 1000).toFixed(0)} a second`
  console.log(`  ${network.name.padEnd(20)} ${exact} of ${PAYOUTS} paid exactly once`)
  console.log(`    causeway, to confirmed    ${rate(ours)}`)
  console.log(`    bare sender, to broadcast ${rate(bare)}   ratio ${(bare / ours).toFixed(2)}`)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function sendBare(chain: ChainAdapter, targets: string[], units: bigint): Promise<void> {
  const token = chain.network.nativeToken
  const taken: Slot[] = []
  const size = chain.batch?.maxTransfers ?? 1
  for (let from = 0; from < targets.length; from += size) {
    const transfers = targets.slice(from, from + size).map((to) => ({ to, amount: { token, units } }))
    const order: Order = { kind: 'transfers', account: chain.treasury, transfers }
    await eventually(async () => {
      const draft = await chain.prepare(order, null)
      const slot = await chain.nextSlot(order, draft, taken)
      taken.push(slot)
      await chain.broadcast(await chain.sign(order, slot, draft))
      return true
    }, 'a bare payout')
  }
}

/** Orders returns of deposits that matched no swap: payouts like any other, without a swap each. */
async function sendOurs(pool: pg.Pool, chain: ChainAdapter, targets: string[], units: bigint): Promise<void> {
  const network = chain.network.name
  const run = randomUUID()
  await pool.query(
    `with target as (select to_address, row_number() over () as n from unnest($3::text[]) as to_address),
     arrived as (
       insert into deposit (network, tx_hash, index, to_address, token, units, state, confirmations_wanted, final, resolution, refund_units)
       select $1, $5 || n, 0, $2, 'native', $4, 'confirmed', 1, true, 'refunded', $4 from target returning id, tx_hash),
     ordered as (
       insert into payout (number, kind, deposit_id, network, account, token, units, to_address, state)
       select 0, 'return', arrived.id, $1, $2, 'native', $4, target.to_address, 'open'
       from target join arrived on arrived.tx_hash = $5 || n returning id)
     select graphile_worker.add_job('pay', json_build_object('payoutId', id), queue_name := $6,
       job_key := 'pay:' || id, max_attempts := 25) from ordered`,
    [network, chain.treasury, targets, units.toString(), run, `pay:${network}:${chain.treasury}`],
  )
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const { rows } = await pool.query<{ open: number }>(
      "select count(*)::int as open from payout where network = $1 and state = 'open'",
      [network],
    )
    if (rows[0]?.open === 0) return
    if (performance.now() > deadline) throw new Error(`${rows[0]?.open} payouts on ${network} are still open`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function freshAddress(sandbox: Sandbox, { name }: Network): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ network: name })
  const answer = await fetch(`${sandbox.url}/sandbox/address`, { method: 'POST', headers, body })
  const { data } = (await answer.json()) as { data: { address: string } }
  return data.address
}

/**
 * Swaps over real Uniswap pools of two local EVM chains while the worker is killed with SIGKILL every few seconds. Third
 * parties move the pools, a little all the time and once by a lot. The recipients' balances decide the result: paid at
 * least the minimum exactly once, or refunded. Then the ledger must equal the wallets.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { startNode } from '../../support/processes/nodes.ts'
import { actionOf, unitsOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { Client, WireSwap } from '../../support/service/client.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const
const GEM_UNIT = 10n ** 18n
const USDC_UNIT = 10n ** 6n
/** A sale, a purchase, and both. */
const ROUTES = [
  ['GEM', 'USDC'],
  ['USDC', 'GEM'],
  ['GEM', 'GEM'],
] as const
/** More than this share of the quote would be a second payment. The output follows a sale by five percent at most. */
const MOST_PERCENT = 110n
const MAX_MS = 30 * 60_000
const TELL_MS = 30_000

interface Ordered {
  swap: WireSwap
  source: string
  destination: string
  recipient: string
  refundee: string
}

export async function legFaults(count: number, killEveryMs: number): Promise<void> {
  console.log(`  swaps                  ${count} over exchanges, worker killed every ${killEveryMs} ms of its life`)
  const env = {
    ...{ STUCK_AFTER_SECONDS: '5', PAYOUT_PATIENCE_SECONDS: '5', RECONCILE_INTERVAL_SECONDS: '1' },
    ...{ SWEEP_INTERVAL_SECONDS: '1', LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal' },
  }
  const world = await startPoolWorld([FROM, TO], env, false)
  try {
    const { address } = world.account(FROM, 0)
    await world.devnet(FROM).fund(world.token(FROM, 'GEM'), address, BigInt(count) * 100n * GEM_UNIT)
    const first = await startNode(world.sandbox.env)
    const ordered: Ordered[] = []
    for (let made = 0; made < count; made++) ordered.push(await order(world, first.client, made))
    await first.kill()
    const { kills, seconds } = await killed(world, ordered.length, killEveryMs)
    const last = await startNode(world.sandbox.env)
    const books = await untilBalanced(world)
    await last.stop()
    const found = { once: 0, refunded: 0, more: 0, less: 0, open: 0 }
    for (const one of ordered) found[await judge(world, one)]++
    const { once, refunded, more, less, open } = found
    console.log(`  paid once ${once}, refunded ${refunded}, more ${more}, less ${less}, open ${open}`)
    console.log(
      `  ${seconds.toFixed(0)} s, killed ${kills} times; the books ${books ? 'equal' : 'DIFFER FROM'} the wallets`,
    )
  } finally {
    await world.stop()
  }
}

async function order(world: PoolWorld, client: Client, made: number): Promise<Ordered> {
  const [source, destination] = ROUTES[made % ROUTES.length] ?? ROUTES[0]
  const [recipient, refundee] = [world.stranger(), world.stranger()]
  const body = {
    ...{ source_network: FROM, source_token: source, destination_network: TO, destination_token: destination },
    ...{ destination_address: recipient, refund_address: refundee, amount: (source === 'GEM' ? 15 : 30) + made / 100 },
  }
  const swap = await eventually(() => client.create(body), 'a swap over an exchange')
  await world.deposit(world.token(FROM, source), actionOf(swap))
  return { swap, source, destination, recipient, refundee }
}

async function killed(
  world: PoolWorld,
  count: number,
  killEveryMs: number,
): Promise<{ kills: number; seconds: number }> {
  const started = performance.now()
  let [kills, left, toldAt] = [0, count, started]
  while (left > 0 && performance.now() - started < MAX_MS) {
    const node = await startNode(world.sandbox.env)
    await movePools(world, kills)
    await sleep(killEveryMs)
    await node.kill()
    kills++
    const [row] = await world.query<{ left: string }>('select count(*) as left from swap where closed_at is null')
    left = Number(row?.left)
    if (performance.now() - toldAt < TELL_MS) continue
    toldAt = performance.now()
    console.log(`    ... ${count - left} of ${count} settled, killed ${kills} times`)
  }
  return { kills, seconds: (performance.now() - started) / 1000 }
}

/** A little in turn with each kill; once by a lot, and some kills later back again. */
async function movePools(world: PoolWorld, kills: number): Promise<void> {
  const [much, back] = [3, 6]
  if (kills === much) await world.trade(TO, 'purchase', 60_000n * USDC_UNIT)
  else if (kills === back) await world.trade(TO, 'sale', 29_000n * GEM_UNIT)
  else if (kills % 2 === 0) await world.trade(FROM, 'sale', 100n * GEM_UNIT)
  else await world.trade(FROM, 'purchase', 200n * USDC_UNIT)
}

type Judgement = 'once' | 'refunded' | 'more' | 'less' | 'open'

/** By the balances on chain. */
async function judge(
  world: PoolWorld,
  { swap, source, destination, recipient, refundee }: Ordered,
): Promise<Judgement> {
  const token = world.token(TO, destination)
  const received = await world.balance(token, recipient)
  const returned = await world.balance(world.token(FROM, source), refundee)
  const inHub = await world.balance(world.token(FROM, 'USDC'), refundee)
  const { receive_amount: receive, min_receive_amount: min } = swap.quote
  if (received > 0n && received < unitsOf(min, token)) return 'less'
  if (received * 100n > unitsOf(receive, token) * MOST_PERCENT) return 'more'
  // After a delivery only proceeds beyond the quote are returned, in the hub token.
  if (received > 0n && returned > 0n && source !== 'USDC') return 'more'
  if (received > 0n) return 'once'
  return returned > 0n || inHub > 0n ? 'refunded' : 'open'
}

async function untilBalanced(world: PoolWorld): Promise<boolean> {
  const isBalanced = async () => {
    for (const network of [FROM, TO])
      for (const token of world.sandbox.catalogue.network(network).tokens) {
        const treasury = world.sandbox.treasuries[network] ?? ''
        const [row] = await world.query<{ units: string }>(
          `select coalesce(sum(units), 0) as units from ledger_entry
           where account = 'wallet' and owner = $1 and network = $2 and token = $3`,
          [treasury, network, token.contract ?? 'native'],
        )
        if (BigInt(row?.units ?? -1) !== (await world.balance(token, treasury))) return false
      }
    return true
  }
  return eventually(isBalanced, 'the books to equal the wallets').then(
    () => true,
    () => false,
  )
}

/**
 * Two full nodes on one PostgreSQL: they share the work, and killing either at any moment loses and doubles nothing. The
 * other one takes its networks and its jobs over.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type FullNode, startNode } from '../support/nodes.ts'
import { actionOf, startWorld, unitsOf, type World } from '../support/world.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = ['ARBITRUM_SEPOLIA', 'BASE_SEPOLIA', 'OPTIMISM_SEPOLIA']
const TAKEOVER_MS = 10_000

let world: World
let nodes: FullNode[]

beforeAll(async () => {
  world = await startWorld({ STUCK_AFTER_SECONDS: '5' }, false)
  nodes = [await startNode(world.sandbox.env), await startNode(world.sandbox.env)]
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()))
  await world.stop()
})

/** Makes a swap at a node and pays its deposit. */
async function begin({ client }: FullNode, destination: string) {
  const recipient = world.stranger()
  const swap = await eventually(
    () =>
      client.create({
        source_network: FROM,
        source_token: 'ETH',
        destination_network: destination,
        destination_token: 'USDC',
        destination_address: recipient,
        amount: 0.05,
      }),
    'a swap to be created',
  )
  await world.deposit(world.token(FROM, 'ETH'), actionOf(swap))
  return { id: swap.swap.id, recipient, destination, receive: swap.quote.receive_amount }
}

/** Each completed, each recipient paid what was quoted, in one slot each. */
async function expectPaidOnce(swaps: Awaited<ReturnType<typeof begin>>[], { client }: FullNode): Promise<void> {
  for (const { id, recipient, destination, receive } of swaps) {
    await client.reaches(id, 'completed')
    const usdc = world.token(destination, 'USDC')
    expect(await world.balance(usdc, recipient)).toBe(unitsOf(receive, usdc))
  }
  const slots = await world.query<{ payout_id: string; slots: string }>(
    `select payout_id, count(*) as slots from slot_payout join payout on payout.id = payout_id
     where swap_id = any($1) group by payout_id`,
    [swaps.map(({ id }) => id)],
  )
  expect(slots.map((row) => row.slots)).toEqual(swaps.map(() => '1'))
}

async function leases(): Promise<{ name: string; holder: string }[]> {
  return world.query("select name, holder from lease where name like 'watch:%' and expires_at > now() order by name")
}

it('two nodes share the work: swaps made at either complete, each paid once', async () => {
  const swaps = await Promise.all(
    [...TO, ...TO].map((destination, index) => begin(nodes[index % 2] ?? failed(), destination)),
  )
  await expectPaidOnce(swaps, nodes[1] ?? failed())
  expect((await leases()).map(({ name }) => name)).toContain(`watch:${FROM}`)
})

it.each([0, 1, 0, 1])('killed while swaps are on their way, node %i loses and doubles nothing', async (doomed) => {
  const survivor = nodes[1 - doomed] ?? failed()
  const swaps = []
  for (const destination of TO) swaps.push(await begin(nodes[doomed] ?? failed(), destination))
  const watched = (await leases()).length
  await nodes[doomed]?.kill()
  const killedAt = performance.now()
  // A lease that lasts longer than one taken before the kill could last was taken or renewed after it.
  const [killed] = await world.query<{ at: Date }>("select now() + interval '6 seconds' as at")
  await eventually(async () => {
    const renewed = await world.query("select 1 from lease where name like 'watch:%' and expires_at > $1", [killed?.at])
    return renewed.length >= watched
  }, 'every network to be watched by the survivor')
  const takeover = performance.now() - killedAt
  await expectPaidOnce(swaps, survivor)
  console.log(
    `  node ${doomed} killed: watched again after ${takeover.toFixed(0)} ms, all paid after ${(performance.now() - killedAt).toFixed(0)} ms`,
  )
  expect(takeover).toBeLessThan(TAKEOVER_MS)
  nodes[doomed] = await startNode(world.sandbox.env)
})

function failed(): never {
  throw new Error('there are two nodes')
}

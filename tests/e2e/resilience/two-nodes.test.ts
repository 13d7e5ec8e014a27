/**
 * Two full nodes on one PostgreSQL: killing either at any moment loses and doubles nothing. The other one takes over its
 * networks, its jobs and the signing journal. Only the node that holds the journal signs.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FullNode, startNode } from '../../support/processes/nodes.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = ['ARBITRUM_SEPOLIA', 'BASE_SEPOLIA', 'OPTIMISM_SEPOLIA']
/** Operators may rely on this bound of a takeover. */
const TAKEOVER_MS = 10_000

/** The progress of the first swaps when a node is killed, as the database shows it. */
const MOMENTS = {
  'a deposit was seen': 'select 1 from deposit where swap_id = any($1)',
  'a payout was signed':
    'select 1 from payout join slot_payout on payout_id = payout.id join attempt using (slot_id) where swap_id = any($1)',
  'a payout was sent':
    'select 1 from payout join slot_payout on payout_id = payout.id join attempt using (slot_id) where swap_id = any($1) and attempt.sent_at is not null',
}
type Moment = keyof typeof MOMENTS

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

/** Creates a swap at a node and pays its deposit. */
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
type Begun = Awaited<ReturnType<typeof begin>>

/** Each swap is completed, and each recipient was paid the quoted amount, in one slot. */
async function expectPaidOnce(swaps: Begun[], { client }: FullNode): Promise<void> {
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

/** How many payouts this process has sent. */
async function sentBy({ internalUrl }: FullNode): Promise<number> {
  const text = await (await fetch(new URL('/metrics', internalUrl))).text()
  const counts = text.matchAll(/^causeway_payouts_total\{[^}]*step="sent"[^}]*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

async function holders(): Promise<Map<string, string>> {
  const rows = await world.query<{ name: string; holder: string }>(
    "select name, holder from lease where name like 'watch:%' and expires_at > now()",
  )
  return new Map(rows.map(({ name, holder }) => [name, holder]))
}

it('two nodes share the work: swaps made at either complete, each paid once, and one node signs', async () => {
  const swaps = await Promise.all(
    [...TO, ...TO].map((destination, index) => begin(nodes[index % 2] ?? failed(), destination)),
  )
  await expectPaidOnce(swaps, nodes[0] ?? failed())
  const sent = await Promise.all(nodes.map(sentBy))
  expect(
    sent.filter((count) => count > 0),
    `payouts sent by each node: ${sent}`,
  ).toHaveLength(1)
}, 300_000)

// The survivor of one case holds all networks, and is killed in the next case.
const CASES = (Object.keys(MOMENTS) as Moment[]).flatMap((moment) => [0, 1].map((doomed) => ({ moment, doomed })))

it.each(CASES)(
  'node $doomed, killed when $moment, loses and doubles nothing',
  async ({ moment, doomed }) => {
    const survivor = nodes[1 - doomed] ?? failed()
    const before = await holders()
    expect([...before.keys()]).toContain(`watch:${FROM}`)
    const swaps: Begun[] = []
    for (const destination of TO) swaps.push(await begin(nodes[doomed] ?? failed(), destination))
    const ids = swaps.map(({ id }) => id)
    await eventually(async () => (await world.query(MOMENTS[moment], [ids])).length > 0, moment)
    await nodes[doomed]?.kill()
    await eventually(
      async () => {
        const now = await holders()
        return [...before].every(([name, holder]) => now.has(name) && now.get(name) !== holder)
      },
      'every network to be watched by the survivor',
      TAKEOVER_MS,
    )
    await expectPaidOnce(swaps, survivor)
    nodes[doomed] = await startNode(world.sandbox.env)
  },
  120_000,
)

function failed(): never {
  throw new Error('there are two nodes')
}

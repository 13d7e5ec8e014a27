/**
 * Latency from the block with a deposit's last confirmation to the broadcast of its payout, on an idle sandbox with
 * polled nodes and with head subscriptions. The service is a separate process. The clock starts before the deposit is
 * sent to the node, so the node's own work is included. For comparison: a bare script that polls the same node as often
 * and sends a plain transfer.
 */
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { startNode } from '../support/processes/nodes.ts'
import { actionOf, startWorld, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import type { Client } from '../support/service/client.ts'
import { startTelling, type Telling } from './websocket-latency.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'BASE_SEPOLIA'
const ROUNDS = 50
/** Both run for a while before the measurement, so that Node has compiled the hot code. */
const WARM_UP = 50
/** Right after a start. */
const COLD_ROUNDS = 20
/**
 * All rounds are deposits of one sender, which are summed until they are final: more would need another confirmation.
 */
const AMOUNT = 0.004

export async function latency(): Promise<void> {
  const polled = await measured(false)
  const told = await measured(true)
  console.log(`  rounds                             ${ROUNDS}, after ${COLD_ROUNDS + WARM_UP} that are not counted`)
  console.log(`  deposit's block to broadcast       ${show(polled.ours)}`)
  console.log(`  bare poll-and-send script          ${show(polled.bare)}`)
  console.log(`  ratio of the medians               ${(median(polled.ours) / median(polled.bare)).toFixed(2)}`)
  console.log(`  the same where nodes tell of heads ${show(told.ours)}`)
  console.log(`  its first ${COLD_ROUNDS} rounds after a start  ${show(told.cold)}`)
  console.log(`  bare poll-and-send script          ${show(told.bare)}`)
  console.log(`  ours less the bare one, medians    ${median(told.ours) - median(told.bare)} ms (wanted: below 50)`)
}

async function measured(isTold: boolean): Promise<Record<'cold' | 'ours' | 'bare', number[]>> {
  const world = await startWorld({}, false)
  const { env } = world.sandbox
  const fronts: Fronts = new Map()
  for (const network of isTold ? [FROM, TO] : [])
    fronts.set(network, await startTelling(world.devnet(network).nodes[network] ?? ''))
  const nodes = Object.fromEntries([...fronts].map(([network, { url }]) => [`NODES_${network}`, url]))
  const service = await startNode({ ...env, ...nodes })
  try {
    const swap = () => oneSwap(world, fronts, service.client)
    const transfer = () => oneBareTransfer(world, fronts)
    await eventually(() => swap().catch(() => undefined), 'the first swap')
    const cold = await rounds(COLD_ROUNDS, swap)
    await rounds(WARM_UP, swap)
    const ours = await rounds(ROUNDS, swap)
    await rounds(WARM_UP, transfer)
    return { cold, ours, bare: await rounds(ROUNDS, transfer) }
  } finally {
    await service.stop()
    await Promise.all([...fronts.values()].map(({ stop }) => stop()))
    await world.stop()
  }
}

/** By network, if nodes push heads. */
type Fronts = Map<string, Telling>

async function rounds(count: number, one: () => Promise<number>): Promise<number[]> {
  const taken: number[] = []
  for (let round = 0; round < count; round++) taken.push(await one())
  return taken.sort((a, b) => a - b)
}

async function oneSwap(world: World, fronts: Fronts, client: Client): Promise<number> {
  const swap = await client.create({
    source_network: FROM,
    source_token: 'ETH',
    destination_network: TO,
    destination_token: 'USDC',
    destination_address: world.stranger(),
    amount: AMOUNT,
  })
  const action = actionOf(swap)
  const value = BigInt(action.amount_in_base_units)
  const deposit = { to: action.to_address as Hex, value, data: action.call_data as Hex }
  const started = await send(world, fronts, FROM, deposit)
  const sentAt = await eventually(async () => {
    const [row] = await world.query<{ sent_at: Date }>(
      'select sent_at from payout where swap_id = $1 and sent_at is not null',
      [swap.swap.id],
    )
    return row?.sent_at.getTime()
  }, 'the payout to be sent')
  await client.reaches(swap.swap.id, 'completed')
  return sentAt - started
}

async function oneBareTransfer(world: World, fronts: Fronts): Promise<number> {
  const wallet = walletOn(world, FROM)
  const target = world.stranger() as Hex
  const { pollMs } = world.sandbox.catalogue.network(FROM)
  const transfer = { to: target, value: 1n }
  const started = await send(world, fronts, FROM, transfer)
  while ((await wallet.getBalance({ address: target })) === 0n)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  await send(world, fronts, TO, transfer)
  return Date.now() - started
}

/** Signs in advance; returns the time just before the bytes went to the node, which mines them at once. */
async function send(
  world: World,
  fronts: Fronts,
  network: string,
  transfer: { to: Hex; value: bigint; data?: Hex },
): Promise<number> {
  const wallet = walletOn(world, network)
  const request = await wallet.prepareTransactionRequest(transfer)
  const serializedTransaction = await wallet.signTransaction(request as Parameters<typeof wallet.signTransaction>[0])
  const started = Date.now()
  await wallet.sendRawTransaction({ serializedTransaction })
  fronts.get(network)?.tell()
  return started
}

function walletOn(world: World, network: string) {
  const account = privateKeyToAccount(world.account(network, 0).secret as Hex)
  const chain = { ...hardhat, id: Number(world.sandbox.catalogue.network(network).chainId) }
  const transport = http(world.devnet(network).nodes[network])
  return createWalletClient({ account, chain, transport }).extend(publicActions)
}

function median(sorted: number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function show(sorted: number[]): string {
  const last = sorted.at(-1) ?? 0
  const p90 = sorted[Math.floor(sorted.length * 0.9)] ?? last
  return `median ${median(sorted)} ms, p90 ${p90} ms, slowest ${last} ms`
}

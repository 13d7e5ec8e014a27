/**
 * Payouts per second on a local chain of each family, through the whole path (policy checks, slot, signature, two commits,
 * broadcast, confirmation), compared with a bare sender: the same adapter in a loop without a database. Both are measured to
 * the last broadcast and to the last confirmation at the same depth. The bare sender has a chain and a wallet of its own,
 * because the service halts a wallet that pays without it. Recipients are counted on chain.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  assetOf,
  type ChainAdapter,
  confirmationsFor,
  type Network,
  type Order,
  type SentTransfer,
  type SignedTransfer,
  type Slot,
} from '@causeway/core'
import { loadFamily, mnemonicSigner, SANDBOX_MNEMONIC } from '@causeway/server'
import { startWorld, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { orderPayouts } from './faults/orders.ts'
import { benchNetworks, recipients } from './places.ts'

const PAYOUTS = Number(process.env.PAYOUTS ?? 200)
const TIMEOUT_MS = 300_000
const POLL_MS = 20
/** Transactions that the bare sender prepares at once: as many as the service. */
const PREPARED_AT_ONCE = 25
const PRICES = path.join(import.meta.dirname, '../../networks/prices.json')

type Targets = ReadonlyMap<Address, bigint>

/** Until the last payout was broadcast, and until the last one was confirmed. */
interface Times {
  broadcastMs: number
  confirmedMs: number
}

/** Returns the time since the start of the run. */
type Clock = () => number

export async function payouts(): Promise<void> {
  for (const network of benchNetworks()) {
    const bare = await measured(network, false, sendBare)
    const ours = await measured(network, true, sendOurs)
    console.log(`  ${network.padEnd(20)} ${ours.paid} of ${PAYOUTS} paid exactly once`)
    print('to broadcast', ours.broadcastMs, bare.broadcastMs)
    print('to confirmed', ours.confirmedMs, bare.confirmedMs)
  }
}

function print(until: string, oursMs: number, bareMs: number): void {
  const ratio = (bareMs / oursMs).toFixed(2)
  console.log(`    ${until}: causeway ${rate(oursMs)}, bare sender ${rate(bareMs)}, ratio ${ratio} (goal 0.8)`)
}

function rate(ms: number): string {
  return `${((PAYOUTS / ms) * 1000).toFixed(0)} per second`
}

async function measured(
  name: string,
  runService: boolean,
  send: (world: World, network: Network, targets: Targets, clock: Clock) => Promise<Times>,
): Promise<Times & { paid: number }> {
  const world = await startWorld({ LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal' }, runService, [name])
  try {
    const network = world.sandbox.catalogue.network(name)
    const targets = await recipients(network, PAYOUTS, world.devnet(name))
    const started = performance.now()
    const times = await send(world, network, targets, () => performance.now() - started)
    const balances = await Promise.all(
      [...targets].map(async ([to, units]) => (await world.balance(network.nativeToken, to)) === units),
    )
    return { ...times, paid: balances.filter(Boolean).length }
  } finally {
    await world.stop()
  }
}

async function sendBare(world: World, network: Network, targets: Targets, clock: Clock): Promise<Times> {
  const chain = await openChain(world, network)
  const confirmations = await confirmationsOf(network, targets)
  const sent: SentTransfer[] = []
  const signed = new Map<string, SignedTransfer>()
  const taken: Slot[] = []
  const orders = ordersFor(chain, network, targets)
  while (orders.length > 0) {
    const together = orders.splice(0, PREPARED_AT_ONCE)
    const drafts = await Promise.all(together.map((order) => chain.prepare(order, null).catch(() => null)))
    for (const [n, order] of together.entries()) {
      await eventually(async () => {
        const draft = drafts[n] ?? (await chain.prepare(order, null))
        drafts[n] = null
        const slot = await chain.nextSlot(order, draft, taken)
        taken.push(slot)
        const transfer = await chain.sign(order, slot, draft)
        signed.set(transfer.hash, transfer)
        await chain.broadcast(transfer)
        sent.push({ hash: transfer.hash, slot, account: chain.treasury })
        return true
      }, 'a bare payout')
    }
  }
  const broadcastMs = clock()
  const isConfirmed = async (transfer: SentTransfer) => {
    const status = await chain.status(transfer, async (hash) => signed.get(hash) ?? null)
    return status.state === 'included' && status.confirmations >= confirmations
  }
  for (const transfer of sent)
    await within(clock, `${transfer.hash} is not confirmed`, () => isConfirmed(transfer).catch(() => false))
  return { broadcastMs, confirmedMs: clock() }
}

function ordersFor(chain: ChainAdapter, { nativeToken: token }: Network, targets: Targets): Order[] {
  const size = chain.batch?.maxTransfers ?? 1
  const transfers = [...targets].map(([to, units]) => ({ to, amount: { token, units } }))
  return Array.from({ length: Math.ceil(transfers.length / size) }, (_, n) => ({
    kind: 'transfers',
    account: chain.treasury,
    transfers: transfers.slice(n * size, (n + 1) * size),
  }))
}

/** The depth at which the service counts the largest of these payouts as made. */
async function confirmationsOf(network: Network, targets: Targets): Promise<number> {
  const prices: Record<string, string> = JSON.parse(await readFile(PRICES, 'utf8'))
  const { nativeToken } = network
  const most = [...targets.values()].reduce((a, b) => (a > b ? a : b), 0n)
  const coins = Number(most) / 10 ** nativeToken.decimals
  return confirmationsFor(network, coins * Number(prices[assetOf(nativeToken)] ?? 0))
}

async function openChain(world: World, network: Network): Promise<ChainAdapter> {
  const family = await loadFamily(network.type)
  const { [network.name]: node = '' } = world.devnet(network.name).nodes
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  return family.open({ network: { ...network, nodes: [node] }, signer: mnemonicSigner(SANDBOX_MNEMONIC), log })
}

async function sendOurs(world: World, network: Network, targets: Targets, clock: Clock): Promise<Times> {
  await orderPayouts(world, network.nativeToken, world.sandbox.treasuries[network.name] ?? '', targets)
  const isNone = async (open: string) => (await world.query(open)).length === 0
  await within(clock, 'not all payouts are sent', () => isNone(UNSENT))
  const broadcastMs = clock()
  await within(clock, 'not all payouts are confirmed', () => isNone(UNCONFIRMED))
  return { broadcastMs, confirmedMs: clock() }
}

const UNCONFIRMED = "select from payout where state = 'open' limit 1"
const UNSENT = `select from payout where state = 'open' and not exists (
  select from slot_payout join attempt using (slot_id) where payout_id = payout.id and live and sent_at is not null
) limit 1`

async function within(clock: Clock, trouble: string, isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) {
    if (clock() > TIMEOUT_MS) throw new Error(trouble)
    await sleep(POLL_MS)
  }
}

/**
 * Payouts per second on a local chain of each family, through the whole path (policy checks, slot, signature, two commits,
 * broadcast, confirmation), compared with a bare sender: the same adapter in a loop without a database. The bare sender has a
 * chain and a wallet of its own, because the service halts a wallet that pays without it. Recipients are counted on chain.
 */
import type { Address, ChainAdapter, Network, Order, Slot } from '@causeway/core'
import { loadFamily, mnemonicSigner, SANDBOX_MNEMONIC } from '@causeway/server'
import { startWorld, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { orderPayouts } from './faults/orders.ts'
import { benchNetworks, recipients } from './places.ts'

const PAYOUTS = Number(process.env.PAYOUTS ?? 200)
const TIMEOUT_MS = 300_000
const POLL_MS = 20

type Targets = ReadonlyMap<Address, bigint>

export async function payouts(): Promise<void> {
  for (const network of benchNetworks()) {
    const bare = await measured(network, false, sendBare)
    const ours = await measured(network, true, sendOurs)
    console.log(`  ${network.padEnd(20)} ${ours.paid} of ${PAYOUTS} paid exactly once`)
    console.log(`    causeway, to confirmed    ${rate(ours.ms)}`)
    console.log(`    bare sender, to broadcast ${rate(bare.ms)}   ratio ${(bare.ms / ours.ms).toFixed(2)}`)
  }
}

function rate(ms: number): string {
  return `${((PAYOUTS / ms) * 1000).toFixed(0)} per second`
}

async function measured(
  name: string,
  runService: boolean,
  send: (world: World, network: Network, targets: Targets) => Promise<void>,
): Promise<{ ms: number; paid: number }> {
  const world = await startWorld({ LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal' }, runService, [name])
  try {
    const network = world.sandbox.catalogue.network(name)
    const targets = await recipients(network, PAYOUTS, world.devnet(name))
    const started = performance.now()
    await send(world, network, targets)
    const ms = performance.now() - started
    const balances = await Promise.all(
      [...targets].map(async ([to, units]) => (await world.balance(network.nativeToken, to)) === units),
    )
    return { ms, paid: balances.filter(Boolean).length }
  } finally {
    await world.stop()
  }
}

async function sendBare(world: World, network: Network, targets: Targets): Promise<void> {
  const chain = await openChain(world, network)
  const token = network.nativeToken
  const taken: Slot[] = []
  const size = chain.batch?.maxTransfers ?? 1
  const wanted = [...targets].map(([to, units]) => ({ to, amount: { token, units } }))
  for (let from = 0; from < wanted.length; from += size) {
    const order: Order = { kind: 'transfers', account: chain.treasury, transfers: wanted.slice(from, from + size) }
    await eventually(async () => {
      const draft = await chain.prepare(order, null)
      const slot = await chain.nextSlot(order, draft, taken)
      taken.push(slot)
      await chain.broadcast(await chain.sign(order, slot, draft))
      return true
    }, 'a bare payout')
  }
}

async function openChain(world: World, network: Network): Promise<ChainAdapter> {
  const family = await loadFamily(network.type)
  const { [network.name]: node = '' } = world.devnet(network.name).nodes
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  return family.open({ network: { ...network, nodes: [node] }, signer: mnemonicSigner(SANDBOX_MNEMONIC), log })
}

async function sendOurs(world: World, network: Network, targets: Targets): Promise<void> {
  await orderPayouts(world, network.nativeToken, world.sandbox.treasuries[network.name] ?? '', targets)
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const [row] = await world.query<{ open: number }>("select count(*)::int as open from payout where state = 'open'")
    if (row?.open === 0) return
    if (performance.now() > deadline) throw new Error(`${row?.open} payouts on ${network.name} are still open`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

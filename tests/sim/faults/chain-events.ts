/**
 * Random events of the outside world: blocks, reorgs, fees, prices, lost mempools, faulty nodes, and addresses that a
 * token or a screening list blocks.
 */

import { resend, walletOf } from '../people/wallet.ts'
import type { Random } from '../world/random.ts'
import { chainIn, type World } from '../world/world.ts'

/** Below the final depth of the simulated networks, which is six: deeper reorgs break the network's own promise. */
const MAX_REORG = 5
const FEES = [1_000n, 1_000n, 1_100n, 2_000n, 5_000n, 20_000n]

export function mine(world: World): void {
  chainIn(world, networkOf(world)).mine()
}

export function reorg(world: World): void {
  const network = networkOf(world)
  const chain = chainIn(world, network)
  // A node on a longer branch sees a correspondingly deeper reorg: the final depth must hold for it too.
  const leads = world.processes.map(({ life }) => life.nodes.get(network)?.lead() ?? 0)
  const depth = Math.max(1, Math.min(shallow(world.random), MAX_REORG - Math.max(...leads)))
  const outcome = world.random.pick(['dropped', 'returned'] as const)
  chain.reorg(depth, outcome)
  world.story.tell('chain', `${network} replaces ${depth} blocks, transactions ${outcome}`)
}

export function changeFee(world: World): void {
  const network = networkOf(world)
  const chain = chainIn(world, network)
  chain.feePerMove = world.random.pick(FEES)
  world.story.tell('chain', `${network} asks ${chain.feePerMove} a move`)
}

export function changePrice(world: World): void {
  const { random, base, story } = world
  const base2000 = random.chance(0.2) ? random.between(800, 5_000) : random.between(1_950, 2_050)
  base.prices.SIM = `${base2000}`
  story.tell('market', `SIM costs ${base2000}`)
}

export function evict(world: World): void {
  const network = networkOf(world)
  const chain = chainIn(world, network)
  const lost = chain.mempool.filter(() => world.random.chance(0.5)).map(({ hash }) => hash)
  for (const hash of lost) chain.evict(hash)
  if (lost.length > 0)
    world.story.tell('chain', `${network} forgets ${lost.map((hash) => hash.slice(0, 8)).join(', ')}`)
}

export function resendLost(world: World): void {
  resend(world, networkOf(world), 0.4)
}

export function nodeTrouble(world: World): void {
  const { random, story } = world
  const process = random.pick(world.processes)
  const network = networkOf(world)
  const node = process.life.nodes.get(network)
  if (!node) return
  const what = random.weighted({ stray: 2, behind: 3, well: 4 })
  story.tell('node', `${process.name} on ${network}: ${what}`)
  if (what === 'stray') node.stray(shallow(random))
  else if (what === 'behind') node.faults.behind = random.between(1, 5)
  else {
    node.rejoin()
    node.faults.behind = 0
  }
}

export function block(world: World): void {
  if (world.swaps.length === 0) return
  const { who, swap, address, network } = somebody(world)
  chainIn(world, network).blocked.add(address)
  world.story.tell('chain', `${network} blocks the ${who}`, swap.number)
}

/** A recipient's contract fails a payout on chain once, although every simulation passed. */
export function refuseOnce(world: World): void {
  const network = networkOf(world)
  const chain = chainIn(world, network)
  const treasury = world.base.chains.get(network)?.treasury
  const willing = (to: string) => to !== treasury && !chain.blocked.has(to) && !world.refusers.has(to)
  const waiting = chain.mempool.filter(
    ({ account, moves }) => account === treasury && moves.length > 0 && moves.every(({ to }) => willing(to)),
  )
  if (waiting.length === 0) return
  const { hash, moves } = world.random.pick(waiting)
  for (const { to } of moves) {
    world.refusers.add(to)
    chain.blocked.add(to)
  }
  chain.mine()
  for (const { to } of moves) chain.blocked.delete(to)
  world.story.tell('chain', `${network} lets ${hash.slice(0, 8)} fail`)
}

/** Puts a party of a swap on the screening list: its recipient, its refund address, or its payer. */
export function list(world: World): void {
  // A process that asked before and was paused since uses the earlier answer.
  if (world.swaps.length === 0 || world.processes.some(({ paused }) => paused !== null)) return
  const { who, swap, address } = somebody(world)
  if (world.listing.listed.has(address)) return
  world.listing.listed.set(address, world.elapsedMs)
  world.story.tell('screening', `lists the ${who}`, swap.number)
}

function somebody(world: World) {
  const swap = world.random.pick(world.swaps)
  const who = world.random.pick(['recipient', 'refunds', 'owner'])
  const address = who === 'recipient' ? swap.destinationAddress : walletOf(world, `${who} ${swap.number}`).address
  return { who, swap, address, network: (who === 'recipient' ? swap.destination : swap.source).network }
}

/** Deep reorgs are rare. */
function shallow(random: Random): number {
  return Math.min(MAX_REORG, 1 + Math.floor(random.next() * random.next() * (MAX_REORG + 1)))
}

function networkOf({ random, chains }: World): string {
  return random.pick([...chains.keys()])
}

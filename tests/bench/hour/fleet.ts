/** Two full nodes over one database: killed and restarted, or frozen for longer than their leases and resumed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../sim/world/random.ts'
import { type FullNode, startNode } from '../../support/processes/nodes.ts'

const NODES = 2
/** The pause between two faults. */
const CALM_MS = [8_000, 25_000] as const
/** A dead node comes back after this long. */
const DEAD_MS = [0, 8_000] as const
/** Leases last six seconds: a process that wakes up later has lost them. */
const FROZEN_MS = [7_000, 20_000] as const

/** A process that resumes without its leases notices that within this time. */
const WAKES_MS = 1_000

export interface Fleet {
  kills: number
  pauses: number
  /** How often a process ended on its own, as it must after losing its leases, and was restarted. */
  ends: number
  /** A node that should answer; it may be dead by the time of the request. */
  any(): FullNode
  /** Ends on the signal, with all nodes alive. */
  makeTrouble(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

export async function startFleet(env: Readonly<Record<string, string>>, random: Random): Promise<Fleet> {
  const nodes: FullNode[] = []
  for (let count = 0; count < NODES; count++) nodes.push(await startNode(env))
  const fleet: Fleet = {
    kills: 0,
    pauses: 0,
    ends: 0,
    any: () => random.pick(nodes),
    async makeTrouble(signal) {
      while (await passed(random.between(...CALM_MS), signal)) {
        const at = random.between(0, NODES - 1)
        const node = nodes[at]
        if (!node) continue
        if (random.chance(0.5)) {
          fleet.pauses++
          node.pause()
          await sleep(random.between(...FROZEN_MS))
          node.goOn()
        } else {
          fleet.kills++
          await node.kill()
          await sleep(random.between(...DEAD_MS))
          nodes[at] = await startNode(env)
        }
        await revive()
      }
      await revive()
    },
    async stop() {
      for (const node of nodes) await node.stop()
    },
  }

  /** Restarts processes, like a supervisor. */
  async function revive(): Promise<void> {
    await sleep(WAKES_MS)
    for (const [at, node] of nodes.entries()) {
      if (!node.isGone()) continue
      fleet.ends++
      nodes[at] = await startNode(env)
    }
  }

  return fleet
}

/** False if the signal came first. */
async function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, undefined, { signal }).then(
    () => true,
    () => false,
  )
}

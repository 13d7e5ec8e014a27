/**
 * The faults of a run, drawn from its seed: crashes and freezes at any external call, lost or duplicated answers, nodes
 * that lag or follow another branch, and a database that refuses or loses its answer.
 */
import { parseDecimal, RetryLater } from '@causeway/core'
import type { CallName, SimulatedNode } from '../../../chains/simulated/local/src/index.ts'
import type { PriceSource } from '../../../server/src/prices/source.ts'
import type { Story } from '../timeline.ts'
import type { ConnectionHooks, Outcome } from '../world/connection.ts'
import type { Random } from '../world/random.ts'

/** The part of a simulated process that a fault's log line needs. */
interface Target extends Pick<ConnectionHooks, 'inTransaction'> {
  readonly name: string
}

export interface Trouble {
  /** False while a run is being finished. */
  active: boolean
  /** The time on the database's clock. */
  now(): Date
  prices: PriceSource
  /** Called around every external call. */
  interruption(where: string, life: Target): 'none' | 'kill' | 'freeze'
  outcome(statement: string, life: Target): Outcome
  /** Enables a fault for the next call. */
  injectFault(node: SimulatedNode, call: CallName): void
}

/** Probability per call. A swap makes a few dozen calls. */
const KILL = 0.0015
const FREEZE = 0.001
const REFUSED = 0.0015
const LOST = 0.0015
const LOST_COMMIT = 0.01
const NODE_FAULT = 0.02

export function createTrouble(options: {
  random: Random
  story: Story
  now: () => Date
  prices: Record<string, string>
  freeze?: number | undefined
  death?: number | undefined
}): Trouble {
  const { random, story, prices, freeze = FREEZE, death = KILL } = options
  const trouble: Trouble = {
    active: true,
    now: options.now,
    prices: {
      name: 'simulated',
      read: async (groups) =>
        new Map(groups.flatMap((group) => (prices[group] ? [[group, parseDecimal(prices[group], 18) ?? 0n]] : []))),
    },
    interruption(where, life) {
      if (!trouble.active) return 'none'
      const drawn = random.next()
      if (drawn < death) {
        story.tell(life.name, `is killed ${where}`)
        return 'kill'
      }
      if (drawn < death + freeze) {
        story.tell(life.name, `is paused ${where}${life.inTransaction ? ', in a transaction' : ''}`)
        return 'freeze'
      }
      return 'none'
    },
    outcome(statement, life) {
      if (!trouble.active) return 'done'
      const drawn = random.next()
      if (statement === 'commit') {
        if (drawn < LOST_COMMIT) {
          story.tell(life.name, 'commits and loses the answer')
          return 'lost'
        }
        if (drawn < 2 * LOST_COMMIT) {
          story.tell(life.name, 'fails to commit')
          return 'refused'
        }
        return 'done'
      }
      if (drawn < REFUSED) {
        story.tell(life.name, `is refused by the database: ${brief(statement)}`)
        return 'refused'
      }
      if (drawn < REFUSED + LOST) {
        story.tell(life.name, `loses the database's answer: ${brief(statement)}`)
        return 'lost'
      }
      return 'done'
    },
    injectFault(node, call) {
      const { faults } = node
      Object.assign(faults, { timeouts: 0, lostAnswers: 0, repeats: 0, lostSends: 0 })
      if (!trouble.active || !random.chance(NODE_FAULT)) return
      const kind = random.weighted({ timeouts: 3, lostAnswers: 4, repeats: 2, lostSends: 2, behind: 2, reset: 1 })
      if (kind === 'lostSends' && call !== 'send') return
      if (kind === 'reset') throw new RetryLater(`the connection to the node was reset: ${call}`)
      if (kind === 'behind') faults.behind = random.between(0, 4)
      else faults[kind] = 1
      story.tell('node', `${kind} at ${call}`)
    },
  }
  return trouble
}

function brief(statement: string): string {
  return statement.replaceAll('"', '').slice(0, 60)
}

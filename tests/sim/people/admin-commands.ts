/**
 * The operator's command line in a run: the commands of `npm run admin`, on a connection without faults that uses the
 * run's clock.
 */

import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { type CommandContext, UsageError } from '../../../server/src/admin/context/command-context.ts'
import { type Database, openDatabase } from '../../../server/src/store/db/database.ts'
import type { TestServices } from '../../support/service/services.ts'
import { type ConnectionHooks, lastingPool, poolFor } from '../world/connection.ts'
import type { World } from '../world/world.ts'

/** A connection at the virtual time, without faults. */
export function calmDatabase(url: string, now: () => Date): { database: Database; end(): Promise<void> } {
  const pool = lastingPool(url)
  const hooks: ConnectionHooks = {
    beforeConnect: async () => undefined,
    outcome: () => 'done',
    afterEffect: () => undefined,
    now,
    busy: 0,
    inTransaction: false,
    isFrozen: () => false,
    thawed: async () => undefined,
    rewrite: (statement) => statement,
  }
  return { database: openDatabase(url, poolFor(hooks, pool)), end: () => pool.end() }
}

/** `isConfigured`: whether the files of now name the network. */
export function deskOf(
  base: TestServices,
  database: Database,
  now: () => Date,
  isConfigured: (network: string) => boolean = () => true,
): CommandContext {
  return {
    database,
    actor: 'operator',
    now,
    async chain(network) {
      const chain = isConfigured(network) ? base.chains.get(network) : undefined
      if (!chain) throw new UsageError(`there is no network ${network}`)
      return chain
    },
    networks: async () => [...base.chains.keys()].filter(isConfigured),
    journal: async () => base.journal,
    makeJournal: async () => base.journal.id,
    print: () => undefined,
  }
}

/** Runs an operator command. False if it is refused, as a mistake of the operator or because it is too early. */
export async function command(world: World, ...words: string[]): Promise<boolean> {
  const named = words.flatMap((word, at) => (words[at - 1] === '--hold' ? word.split(',') : []))
  for (const hold of named) world.answered.add(hold)
  try {
    await runCommand(world.desk, words)
    world.story.tell('operator', words.filter((word) => /^[a-z]+$/.test(word)).join(' '))
    return true
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    world.story.tell('operator', `is refused: ${words.slice(0, 2).join(' ')}`)
    return false
  }
}

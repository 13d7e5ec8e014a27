/** `npm run admin`: the operator's command line for apps, keys and webhooks. */
import os from 'node:os'
import { runMigrations } from 'graphile-worker'
import { migrate, openDatabase } from '../store/database.ts'
import { UsageError } from './desk.ts'
import { commandFor, helpFor, runCommand } from './run.ts'

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error)
  process.exitCode = 1
}

async function main(given: string[]): Promise<void> {
  const { actor, words } = takeActor(given)
  if (!commandFor(words)) return console.log(helpFor(words))
  const url = process.env.DATABASE_URL
  if (!url || !/^postgres(ql)?:\/\//.test(url)) throw new UsageError('DATABASE_URL must be a postgres:// address')
  const database = openDatabase(url)
  try {
    // The service may never have run yet.
    await runMigrations({ connectionString: url })
    await migrate(database)
    await runCommand({ database, actor, now: () => new Date(), print: (line) => console.log(line) }, words)
  } finally {
    await database.destroy()
  }
}

/** May stand anywhere among the words. */
function takeActor(given: string[]): { actor: string; words: string[] } {
  const at = given.indexOf('--actor')
  if (at < 0) return { actor: os.userInfo().username, words: given }
  const actor = given[at + 1]
  if (!actor) throw new UsageError('--actor needs a name')
  return { actor, words: given.toSpliced(at, 2) }
}

/** `npm run admin`: the operator's command line for apps, keys and webhooks. */
import os from 'node:os'
import { type ChainAdapter, catalogueOf } from '@causeway/core'
import { runMigrations } from 'graphile-worker'
import { readCatalogue } from '../catalogue/catalogue.ts'
import { chainOf, loadFamily, openChains } from '../catalogue/chains.ts'
import { parseConfig } from '../config.ts'
import { openSigner } from '../keys/signer.ts'
import { createLog } from '../observe/log.ts'
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
    const print = (line: string) => console.log(line)
    await runCommand({ database, actor, now: () => new Date(), chain: openOne, networks: listed, print }, words)
  } finally {
    await database.destroy()
  }
}

/** With the service's own environment: its network files, nodes and signer. */
async function openOne(network: string): Promise<ChainAdapter> {
  const config = parseConfig(process.env)
  const catalogue = await readCatalogue(config.NETWORKS, config.nodes, loadFamily)
  const found = catalogue.networks.filter(({ name }) => name === network)
  if (found.length === 0) throw new UsageError(`there is no network ${network}`)
  const chains = await openChains(catalogueOf(found), loadFamily, await openSigner(config), createLog(config.LOG_LEVEL))
  return chainOf(chains, network)
}

async function listed(): Promise<string[]> {
  const config = parseConfig(process.env)
  const { networks } = await readCatalogue(config.NETWORKS, config.nodes, loadFamily)
  return networks.map(({ name }) => name)
}

/** May stand anywhere among the words. */
function takeActor(given: string[]): { actor: string; words: string[] } {
  const at = given.indexOf('--actor')
  if (at < 0) return { actor: os.userInfo().username, words: given }
  const actor = given[at + 1]
  if (!actor) throw new UsageError('--actor needs a name')
  return { actor, words: given.toSpliced(at, 2) }
}

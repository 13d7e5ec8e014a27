/** `npm run admin`: the operators' command line. */
import { type ChainAdapter, catalogueOf } from '@causeway/core'
import { readCatalogue, withNodes } from '../../catalogue/catalogue.ts'
import { chainOf, onlyFamilies, openChains } from '../../catalogue/chains.ts'
import { withFile } from '../../config/file.ts'
import { ConfigError, parseConfig } from '../../config.ts'
import { openSigner } from '../../keys/backends/signer.ts'
import { orderSource, readLines } from '../../keys/orders/source.ts'
import { createLog } from '../../observe/log.ts'
import { startupErrors } from '../../observe/startup-errors.ts'
import { type Database, openDatabase, prepareDatabase } from '../../store/db/database.ts'
import { readJournalRow } from '../../store/journal/journal-row.ts'
import { hasOperators, readDualControl } from '../../store/operators/operators.ts'
import { UsageError } from '../context/command-context.ts'
import { firstOperator, type Identity, identify } from '../context/identity.ts'
import { createJsonOutput } from './json-output.ts'
import { openMarket } from './open-market.ts'
import { argumentsOf, commandFor, helpFor, runCommand } from './run.ts'
import { storedAmounts } from './stored-amounts.ts'

try {
  await main(process.argv.slice(2))
} catch (error) {
  const isTold = error instanceof UsageError || error instanceof ConfigError
  const { DATABASE_URL: databaseUrl, SIGNER_URL: signerUrl } = withFile(process.env).env
  console.error(isTold ? error.message : (startupErrors(error, { databaseUrl, signerUrl }) ?? error))
  process.exitCode = 1
}

async function main(given: string[]): Promise<void> {
  const words = given.filter((word) => word !== '--json')
  const found = commandFor(words)
  if (!found) return console.log(helpFor(words))
  const { names } = argumentsOf(found)
  const { env, problems } = withFile(process.env)
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  const url = env.DATABASE_URL
  if (!url || !/^postgres(ql)?:\/\//.test(url)) throw new UsageError('DATABASE_URL must be a postgres:// address')
  const database = openDatabase(url)
  try {
    // The database may be new: the service may never have run.
    await prepareDatabase(url)
    const json = words.length < given.length ? createJsonOutput() : null
    const identity = await actorFor(database, words, names[0] ?? '')
    const two = await fourEyes(database)
    const service = { chain: openOne, networks: listed, settings: () => parseConfig(process.env) }
    const { worth, written } = await storedAmounts(database, new Date())
    const desk = {
      database,
      worth,
      amount: json ? json.amount(written) : written,
      ...identity,
      ...two,
      now: () => new Date(),
      ...service,
      market: () => openMarket(parseConfig(process.env), database),
      journal: openLines(database),
      makeJournal,
      // Loaded on use: no other command is a client of the API.
      canary: async () => (await import('../canary/open-canary.ts')).openCanary(process.env),
      fail: () => {
        process.exitCode = 1
      },
      print: (line: string) => console.log(line),
      ...json?.sinks,
    }
    await runCommand(desk, words)
    if (json) console.log(json.text())
  } finally {
    await database.destroy()
  }
}

/**
 * The dual-control threshold: the service's own setting, or a stricter one from this environment. Omitting it here
 * loosens nothing.
 */
async function fourEyes(database: Database): Promise<{ fourEyesUsd?: number }> {
  const { FOUR_EYES_USD: said } = withFile(process.env).env
  const bounds = [
    ...(said ? [dollarsIn(said)] : []),
    ...[await readDualControl(database)].filter((usd) => usd !== null),
  ]
  return bounds.length === 0 ? {} : { fourEyesUsd: Math.min(...bounds) }
}

/** Parses a threshold as the service does: a typo must not switch the second approval off. */
function dollarsIn(text: string): number {
  const usd = Number(text)
  if (!(usd >= 0)) throw new UsageError('FOUR_EYES_USD must be a number of dollars')
  return usd
}

/** Opens one network with the service's own environment: its network files, nodes and signer. */
async function openOne(network: string): Promise<ChainAdapter> {
  const config = parseConfig(process.env)
  const families = onlyFamilies(config.families)
  const catalogue = await readCatalogue(config.networksFolder, config.nodes, families)
  const found = catalogue.networks.filter(({ name }) => name === network)
  if (found.length === 0) throw new UsageError(`there is no network ${network}`)
  const chains = await openChains(catalogueOf(found), families, await openSigner(config), createLog(config.logLevel))
  return chainOf(chains, network)
}

/** Creates a signing journal in an empty folder. Returns its id. */
async function makeJournal(databaseId: string): Promise<string> {
  const source = orderSource(parseConfig(process.env), databaseId, {
    now: () => new Date(),
    adapterOf: (network) => {
      throw new Error(`nothing is signed here: ${network}`)
    },
    onBroken: () => undefined,
  })
  const orders = await source.open()
  await orders?.end()
  if (orders) throw new UsageError(`${source.name} has a journal: move it away if it is not the newest one`)
  const made = await source.create(databaseId)
  const { id } = await made.status()
  await made.end()
  return id
}

/** Reads the service's signing journal while the service may write it. */
function openLines(database: Database) {
  return async () => {
    const row = await readJournalRow(database)
    return readLines(parseConfig(process.env), row?.database_id ?? '')
  }
}

/** The names of the networks that the service would run with these settings. */
async function listed(): Promise<string[]> {
  const config = parseConfig(process.env)
  const catalogue = await readCatalogue(config.networksFolder, config.nodes, onlyFamilies(config.families))
  return withNodes(catalogue, () => undefined).networks.map(({ name }) => name)
}

/** Who runs the command. The first operator adds themself, since there is no other. */
async function actorFor(database: Database, words: string[], name: string): Promise<Identity> {
  const file = withFile(process.env).env.OPERATOR_KEY_FILE
  const isFirst = words[0] === 'operator' && words[1] === 'add' && !(await hasOperators(database))
  if (!isFirst) return identify(database, file)
  if (!file) throw new UsageError('the first operator signs for themself: set OPERATOR_KEY_FILE to the private key')
  return firstOperator(file, name)
}

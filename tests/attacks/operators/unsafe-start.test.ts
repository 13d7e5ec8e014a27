/**
 * A start that would risk real money is refused, with all reasons at once and by name; so is a setting that would go
 * unnoticed.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { ConfigError, parseConfig, SANDBOX_MNEMONIC, startService } from '@causeway/server'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCatalogue } from '../../../server/src/catalogue/catalogue.ts'
import { loadFamily } from '../../../server/src/catalogue/chains.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { bareEnvironment } from '../../support/processes/environment.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
/** No server listens there: a start that gets this far has passed all checks before the database. */
const NOWHERE = 'postgres://somebody:secret@127.0.0.1:1/causeway'
const UNSAFE = {
  DATABASE_URL: NOWHERE,
  NETWORKS: 'networks/mainnet',
  SIGNER: 'mnemonic',
  MNEMONIC: SANDBOX_MNEMONIC,
  PRICES: 'fixed',
  ALLOW_PRIVATE_WEBHOOKS: 'true',
  HOURLY_OUTFLOW_USD: 'none',
  LOG_LEVEL: 'silent',
  INTERNAL_PORT: '0',
  PORT: '0',
}
/**
 * Deriving the keys of all families takes most of a second, so one family is used for rules that are the same in all.
 */
const ONE_FAMILY = { FAMILIES: 'evm' }
const WORDS = ['public-phrase', 'mnemonic', 'fixed-prices', 'private-webhooks', 'no-outflow-limit', 'one-node']

const refusal = async (env: Record<string, string>, options = {}): Promise<unknown> =>
  startService(parseConfig(env), options).then(
    () => new Error('it started'),
    (error: unknown) => error,
  )
const folder = () => mkdtempSync(path.join(os.tmpdir(), 'causeway-settings-'))

describe('on mainnet', () => {
  it('all unsafe settings are listed at once, each with its keyword', async () => {
    const error = await refusal(UNSAFE)
    expect(error).toBeInstanceOf(ConfigError)
    const words = [...String(error).matchAll(/ALLOW_ON_MAINNET=([\w-]+)/g)].map(([, word]) => word)
    expect(words).toEqual(WORDS)
    expect(String(error)).not.toContain(SANDBOX_MNEMONIC.split(' ')[0])
  })

  it('a keyword allows its own risk only', async () => {
    const but = (word: string) => WORDS.filter((other) => other !== word).join(',')
    for (const word of WORDS) {
      const error = await refusal({ ...UNSAFE, ...ONE_FAMILY, ALLOW_ON_MAINNET: but(word) })
      const named = [...String(error).matchAll(/ALLOW_ON_MAINNET=([\w-]+)/g)].map(([, found]) => found)
      expect(named).toEqual([word])
    }
    const allowed = { ...UNSAFE, ALLOW_ON_MAINNET: WORDS.join(',') }
    expect(String(await refusal(allowed))).toContain('JOURNAL_FOLDER')
    expect(await refusal({ ...allowed, JOURNAL_FOLDER: '/nowhere' })).toMatchObject({ code: 'ECONNREFUSED' })
    expect(() => parseConfig({ ...UNSAFE, ALLOW_ON_MAINNET: 'everything' })).toThrow('ALLOW_ON_MAINNET')
  })

  it('price sources that one of them could outvote are not enough', async () => {
    const named = async (PRICES: string, allowed = '') => {
      const env = { ...UNSAFE, ...ONE_FAMILY, PRICES, ...(allowed ? { ALLOW_ON_MAINNET: allowed } : {}) }
      const error = await refusal(env)
      return [...String(error).matchAll(/ALLOW_ON_MAINNET=([\w-]+)/g)].map(([, word]) => word)
    }
    for (const few of ['coingecko', 'coingecko,coinbase']) expect(await named(few)).toContain('few-price-sources')
    expect(await named('coingecko,coinbase', WORDS.join(','))).toEqual(['few-price-sources'])
    expect(await named('coingecko,coinbase,cryptocompare')).not.toContain('few-price-sources')
  })

  it('is what the networks are, not what the folder, a setting or a file calls them', async () => {
    const copied = folder()
    cpSync(path.join(ROOT, 'networks/mainnet'), copied, { recursive: true })
    const wanted = 'coins there are worth something, so ENVIRONMENT=mainnet is needed'
    for (const env of [{ NETWORKS: copied }, { ENVIRONMENT: 'testnet' }])
      expect(String(await refusal({ ...UNSAFE, ...env }))).toContain(wanted)
    for (const network of ['ETHEREUM', 'BITCOIN', 'SOLANA', 'TON']) {
      const renamed = folder()
      const file = JSON.parse(readFileSync(path.join(copied, `${network}_MAINNET.json`), 'utf8'))
      const name = `${network}_PLAY`
      writeFileSync(
        path.join(renamed, `${name}.json`),
        JSON.stringify({ ...file, name, nodes: ['https://rpc.example'] }),
      )
      expect(String(await refusal({ ...UNSAFE, NETWORKS: renamed })), name).toContain(`${name}: ${wanted}`)
    }
  })

  it('a node or a source that is named twice does not agree with itself', async () => {
    expect(() => parseConfig({ ...UNSAFE, PRICES: 'coingecko,coinbase, coingecko' })).toThrow('names a source twice')
    const twice = 'https://rpc.example/a,https://rpc.example/a'
    expect(() => parseConfig({ ...UNSAFE, NODES_ETHEREUM_MAINNET: twice })).toThrow('names a node twice')
    const { networks } = await readCatalogue(path.join(ROOT, 'networks/mainnet'), {}, loadFamily)
    const nodesOf = (urls: string) => Object.fromEntries(networks.map(({ name }) => [`NODES_${name}`, urls]))
    const oneNode = 'ALLOW_ON_MAINNET=one-node'
    const sameHost = 'https://rpc.example/a,https://rpc.example/b'
    expect(String(await refusal({ ...UNSAFE, ...nodesOf(sameHost) }))).toContain(oneNode)
    const two = 'https://rpc.example/a,https://other.example/b'
    expect(String(await refusal({ ...UNSAFE, ...nodesOf(two) }))).not.toContain(oneNode)
  })

  it('a wallet has a limit even if none is set', () => {
    const config = parseConfig({ ...UNSAFE, PRICES: 'a,b', MAX_SWAP_USD: '1000', HOURLY_OUTFLOW_USD: undefined })
    expect(config.hourlyOutflowUsd).toBe(20_000)
    expect(parseConfig({ ...UNSAFE, NETWORKS: 'networks/testnet', HOURLY_OUTFLOW_USD: undefined })).toMatchObject({
      environment: 'testnet',
      hourlyOutflowUsd: null,
    })
  })

  it('a sandbox may, but only in its own process and with every node on this machine', async () => {
    const { networks } = await readCatalogue(path.join(ROOT, 'networks/mainnet'), {}, loadFamily)
    const local = Object.fromEntries(networks.map(({ name }) => [`NODES_${name}`, 'http://127.0.0.1:1']))
    const env = { ...UNSAFE, ...local }
    expect(await refusal(env, { isSandbox: true })).toMatchObject({ code: 'ECONNREFUSED' })
    expect(await refusal(env)).toBeInstanceOf(ConfigError)
    const outside = { ...env, NODES_ETHEREUM_MAINNET: 'http://127.0.0.1:1,https://rpc.example' }
    expect(await refusal(outside, { isSandbox: true })).toBeInstanceOf(ConfigError)
  })
})

describe('settings', () => {
  const GOOD = { DATABASE_URL: NOWHERE, SIGNER: 'mnemonic', MNEMONIC: 'words' }

  it('a name that is nearly a setting is an error; what others put into the environment is not', () => {
    const wrong = ['DATBASE_URL', 'HOSTS', 'PROT', 'MAX_SWAPS_USD', 'ALLOW_PRIVATE_WEBHOOK', 'SIGNER_TOKENFILE', 'ROLE']
    const parse = () => parseConfig({ ...GOOD, ...Object.fromEntries(wrong.map((name) => [name, '1'])) })
    for (const name of wrong) expect(parse).toThrow(`${name}: is no setting; did you mean`)
    const ordinary = [
      'HOME',
      'HOSTNAME',
      'PATH',
      'USER',
      'PGHOST',
      'PGPORT',
      'AWS_REGION',
      'NODE_ENV',
      'LOGNAME',
      'npm_port',
    ]
    expect(() => parseConfig({ ...GOOD, ...Object.fromEntries(ordinary.map((name) => [name, '1'])) })).not.toThrow()
  })

  it('a file or folder that a setting names must be there', () => {
    const parse = () =>
      parseConfig({ ...GOOD, SCREENING_FILE: '/no/list', ROUTES_FILE: 'no/routes.json', NETWORKS: 'no' })
    for (const name of ['SCREENING_FILE', 'ROUTES_FILE', 'NETWORKS']) expect(parse).toThrow(`${name}: there is no`)
  })

  it('nodes of a network that is not listed are an error', async () => {
    expect(String(await refusal({ ...UNSAFE, NODES_ETHEREUM_MAINET: 'https://rpc.example' }))).toContain(
      'NODES_ETHEREUM_MAINET: there is no such network',
    )
  })

  it('in a file of settings every unknown name is an error, and the environment counts before it', () => {
    const file = path.join(folder(), 'settings')
    writeFileSync(
      file,
      `# mine\nDATABASE_URL="${NOWHERE}"\nexport PORT=9000\nMNEMONIC=words\nSIGNER=mnemonic\nHOST=::1\n`,
    )
    expect(parseConfig({ CONFIG_FILE: file, HOST: '127.0.0.9' })).toMatchObject({ port: 9000, host: '127.0.0.9' })
    writeFileSync(file, 'PAYOUTS_MAXIMUM=3\nsecret words\nPORT=1\nPORT=2\n')
    const parse = () => parseConfig({ ...GOOD, CONFIG_FILE: file })
    expect(parse).toThrow('CONFIG_FILE: PAYOUTS_MAXIMUM is no setting')
    expect(parse).toThrow('CONFIG_FILE: line 2 is not NAME=value')
    expect(parse).toThrow('CONFIG_FILE: PORT stands there twice')
    expect(parse).not.toThrow('secret words')
    expect(() => parseConfig({ ...GOOD, CONFIG_FILE: '/no/file' })).toThrow('CONFIG_FILE: there is no file /no/file')
  })
})

// Each starts whole programs, one after the other.
describe('an error is one line that says what to do', { timeout: 300_000 }, () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await startDatabase()
  })
  afterAll(() => database.stop())

  const KEYS = {
    SIGNER: 'mnemonic',
    MNEMONIC: SANDBOX_MNEMONIC,
    NETWORKS: 'networks/testnet',
    LOG_LEVEL: 'silent',
    ROLES: 'api',
  }
  const FREE = { PORT: '0', INTERNAL_PORT: '0' }
  /** Runs the program as an operator would; returns its output. */
  const serve = (env: Record<string, string>, ...words: string[]) =>
    new Promise<{ code: number; text: string }>((resolve) => {
      const given = { ...bareEnvironment(), ...KEYS, ...FREE, ...env }
      execFile(
        process.execPath,
        ['server/launch.mjs', 'serve', ...words],
        { cwd: ROOT, env: given },
        (error, out, err) => resolve({ code: error ? Number(error.code) : 0, text: `${out}${err}`.trim() }),
      )
    })
  const line = async (env: Record<string, string>) => {
    const { code, text } = await serve(env)
    expect([code, text.split('\n').length], text).toEqual([1, 1])
    expect(text).not.toContain('secret')
    return text
  }
  const other = (change: (url: URL) => void) => {
    const url = new URL(database.url)
    change(url)
    return { ...ONE_FAMILY, DATABASE_URL: `${url}` }
  }

  it('a database without a server, that refuses, or that does not exist', async () => {
    expect(await line({ DATABASE_URL: NOWHERE })).toContain('start PostgreSQL there, or correct DATABASE_URL')
    expect(await line(other((url) => (url.pathname = '/nothing')))).toContain('make it (createdb)')
    expect(await line(other((url) => (url.username = 'nobody')))).toMatch(/refuses the user or the password/)
  })

  it('a database that the migrations from before the squash created', async () => {
    const url = await database.createEmpty()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('create table kysely_migration (name text primary key, timestamp text not null)')
    await client.query("insert into kysely_migration values ('0001_swap', ''), ('0152_lifted', '')")
    await client.end()
    const told = 'was created by a version from before the schema was squashed: create a new one'
    expect(await line({ ...ONE_FAMILY, DATABASE_URL: url })).toContain(told)
  })

  it('a port that is taken', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    try {
      expect(await line({ ...ONE_FAMILY, DATABASE_URL: database.url, INTERNAL_PORT: `${port}` })).toContain(
        `port ${port}`,
      )
      expect(await line({ ...ONE_FAMILY, DATABASE_URL: database.url, PORT: `${port}` })).toContain(
        'set PORT or INTERNAL_PORT',
      )
    } finally {
      taken.close()
    }
  })

  it('a signer that cannot be reached', async () => {
    const file = path.join(folder(), 'token')
    writeFileSync(file, 'x'.repeat(40))
    const env = {
      ...ONE_FAMILY,
      SIGNER: 'remote',
      SIGNER_URL: 'http://127.0.0.1:1',
      SIGNER_TOKEN_FILE: file,
      SIGNER_TIMEOUT_SECONDS: '1',
    }
    expect(await line({ DATABASE_URL: database.url, ...env })).toContain('start it, or correct SIGNER_URL')
  })

  it('other keys than those of the database', async () => {
    const other = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const config = parseConfig({ ...KEYS, ...FREE, ...ONE_FAMILY, DATABASE_URL: database.url })
    const first = await startService(config, { offeringTimeoutMs: 0 })
    await first.stop()
    const again = { ...KEYS, ...FREE, ...ONE_FAMILY, DATABASE_URL: database.url, MNEMONIC: other }
    const { code, text } = await serve(again)
    expect(code).toBe(1)
    expect(text).toContain('these keys are not the ones of this database')
    expect(text).toContain('NEW_TREASURY=ETHEREUM_SEPOLIA')
    expect(text).not.toContain('winner')
  })

  it('--help is answered, and other words are not swallowed', async () => {
    const { code, text } = await serve({}, '--help')
    expect(code).toBe(0)
    expect(text).toContain('INTERNAL_PORT')
    expect(await serve({}, 'now')).toMatchObject({ code: 1, text: expect.stringContaining('unexpected argument: now') })
  })
})

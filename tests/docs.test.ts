/**
 * The documents match the code: settings and their defaults, commands, metrics, fields of network files, links and
 * scripts.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { NETWORK_TYPES } from '@causeway/core'
import { expect, test } from 'vitest'
import { commandFor, helpFor } from '../server/src/admin/cli/run.ts'
import { NetworkFile } from '../server/src/catalogue/network-file.ts'
import { ALLOWANCES } from '../server/src/config/unsafe.ts'
import { SERVICE_VARIABLES } from '../server/src/config/variables.ts'
import { parseConfig, SETTINGS } from '../server/src/config.ts'
import { createMetrics } from '../server/src/observe/metrics.ts'
import { createSignerMetrics } from '../server/src/observe/signer-metrics.ts'

const ROOT = path.join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const exists = (place: string) => existsSync(path.join(ROOT, place))
const filesOf = (...places: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...places], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '')
const pages = filesOf('*.md').map((file) => ({ file, text: read(file) }))
const operatePages = pages.filter(({ file }) => file.startsWith('docs/operate/'))
const operate = operatePages.map(({ text }) => text).join('\n')
const configure = read('docs/operate/configure.md')

/** The text under a heading, up to the next one of its rank. */
function section(text: string, heading: string): string {
  const [, found = ''] = text.split(new RegExp(`^${heading}$`, 'm'))
  return found.split(new RegExp(`^${heading.split(' ')[0]} `, 'm'))[0] ?? ''
}

const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| (`.*)$/gm)].map(([, row = '']) => row.replace(/ \|$/, '').split(/(?<!\\) \| /))

test('every setting is in the table of configure.md, and nothing else is', () => {
  const configuration = section(configure, '## Configuration')
  const named = new Set(namesIn(configuration))
  expect(SETTINGS.filter((name) => !named.has(name) && !configuration.includes(`\`${name}=`))).toEqual([])
  expect(ALLOWANCES.filter((word) => !named.has(word))).toEqual([])
  const listed = rowsOf(configuration).flatMap(([names = '']) => namesIn(names))
  const others = ['NODES_<NETWORK>', 'PRIVATE_SUBMISSION_<NETWORK>', 'AGGREGATOR_KEY_<NAME>', ...ALLOWANCES]
  expect(listed.filter((name) => !SETTINGS.includes(name) && !others.includes(name))).toEqual([])
})

test('deploy/causeway.env.example explains every setting, as configure.md does', async () => {
  const example = settingsExample(rowsOf(section(configure, '## Configuration')))
  const named = [...example.matchAll(/^#([A-Z]\w+)=/gm)].map(([, name = '']) => name)
  expect(SETTINGS.filter((name) => name !== 'CONFIG_FILE' && !named.includes(name))).toEqual([])
  await expect(example).toMatchFileSnapshot('../deploy/causeway.env.example')
})

/** A settings file with every row of the table: its meaning as a comment, and each name with its default, commented out. */
function settingsExample(rows: string[][]): string {
  const plain = (text: string) => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
  const blocks = rows.flatMap(([names = '', defaults = '', meaning = '']) => {
    const own = namesIn(names).filter(
      (name) => name !== 'CONFIG_FILE' && !(ALLOWANCES as readonly string[]).includes(name),
    )
    if (own.length === 0) return []
    const told = own.length === 1 ? [plain(defaults)] : plain(defaults).split(/, ?/)
    const lines = own.map((name, index) => {
      const value = told[index] ?? ''
      // A word such as "needed" or "by NETWORKS" is no value.
      const isValue = /^[\w./,:-]+$/.test(value) && !['none', 'needed', 'all'].includes(value)
      const variable = name.replace('<NETWORK>', 'ETHEREUM_MAINNET').replace('<NAME>', 'ONEINCH')
      return `#${variable}=${isValue ? value : ''}`
    })
    return [`${wrapped(plain(meaning))}\n${lines.join('\n')}\n`]
  })
  const head = `# Every setting of the service, with its default. Remove the # of those that you change. A name without a value counts as absent.
# Secrets belong into files: DATABASE_URL_FILE, NODES_<NETWORK>_FILE and the like. docs/operate/configure.md has the same table.
# Made from that table: npx vitest run tests/docs.test.ts --update
`
  return [head, ...blocks].join('\n')
}

function wrapped(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < 118) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}

test('.env.example names only settings that exist', () => {
  const names = [...read('.env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)
  expect(names).toContain('DATABASE_URL')
  expect(names.filter((name) => !SETTINGS.includes(name) && !name.startsWith('NODES_'))).toEqual([])
})

test('the defaults in that table are those of the code', () => {
  const given = { DATABASE_URL: 'postgres://localhost/x', SIGNER: 'mnemonic', MNEMONIC: 'x' }
  const config: Record<string, unknown> = { ...parseConfig(given) }
  const fields = new Map(Object.entries(SERVICE_VARIABLES).map(([field, [variable]]) => [variable, field]))
  let compared = 0
  for (const [names = '', defaults = ''] of rowsOf(section(configure, '## Configuration'))) {
    const own = namesIn(names)
    const told = own.length === 1 ? [defaults] : defaults.split(', ')
    for (const [position, name] of own.entries()) {
      const written = (told[position] ?? '').replaceAll('`', '')
      const value = config[fields.get(name) ?? '']
      if (Object.hasOwn(given, name) || !SETTINGS.includes(name) || value === undefined) continue
      if (typeof value === 'number') {
        // The operator writes seconds, the parsed field is in milliseconds.
        expect([name, Number(written)]).toEqual([name, name.endsWith('_SECONDS') ? value / 1000 : value])
      } else if (typeof value === 'string' && path.isAbsolute(value)) {
        expect([name, path.join(ROOT, written)]).toEqual([name, value])
      } else if (typeof value === 'string' || typeof value === 'boolean') {
        const named = { KMS_METADATA_URL: "AWS's own", ENVIRONMENT: 'by NETWORKS' }[name] ?? String(value)
        if (named === String(value)) expect([name, written]).toEqual([name, named])
        else expect(defaults).toContain(named.split(' ')[0])
      } else continue
      compared++
    }
  }
  expect(compared).toBeGreaterThan(35)
})

test('every command of the operators is in docs/operate, and every command in a document exists', () => {
  const commands = [...helpFor([]).matchAll(/^ {2}npm run admin -- (\w+)(?: (?!-)([a-z]+))?/gm)].map(
    ([, noun, verb]) => `${noun}${verb ? ` ${verb}` : ''}`,
  )
  expect(commands.length).toBeGreaterThan(45)
  expect(commands.filter((command) => !new RegExp(`[\`-] ?${command}\\b`).test(operate))).toEqual([])
  const written = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/npm run admin -- ([a-z]\w*)(?: ([a-z]\w*))?/g)].map(([, ...words]) => ({ file, words })),
  )
  expect(written.length).toBeGreaterThan(20)
  for (const { words } of written) {
    expect(() => commandFor(words.filter((word) => word !== undefined)), words.join(' ')).not.toThrow()
  }
})

test('every metric is in watch.md, and every metric in a document exists', async () => {
  const registries = [createMetrics().registry, createSignerMetrics([]).registry]
  const all = (await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))).flat()
  const own = all.map(({ name }) => name).filter((name) => !/^causeway_(process|nodejs)_/.test(name))
  expect(own.filter((name) => !read('docs/operate/watch.md').includes(`\`${name}`))).toEqual([])
  const written = pages.flatMap(({ text }) => [
    ...text.matchAll(/\bcauseway_[a-z_]+(?:_total|_seconds|_head|_scanned|_up|_balance)\b/g),
  ])
  expect(written.length).toBeGreaterThan(10)
  expect(written.map(([name]) => name).filter((name) => !own.includes(name))).toEqual([])
})

test('run.md says how many connections of PostgreSQL a process takes at most', () => {
  const pools = [
    ...['server/src/service.ts', 'server/src/store/standby/caller-pools.ts'],
    ...['server/src/flow/run/worker.ts', 'server/src/store/db/database.ts'],
  ]
  const sizes = pools.flatMap((file) => [
    ...read(file).matchAll(/^const (?!MIGRATING)(?:\w*CONNECTIONS|POOL_SIZE) = (\d+)$/gm),
  ])
  expect(sizes.length).toBe(6)
  // One more for the worker's heartbeat, and one for the change listener.
  const most = sizes.reduce((sum, [, size]) => sum + Number(size), 2)
  expect(operate.replaceAll('\n', ' ')).toContain(`A process takes ${most} connections of PostgreSQL at most`)
})

test('every field of a network file is explained', () => {
  const explained = namesIn(section(configure, '## Network files'))
  const token = NetworkFile.shape.tokens.element.shape
  for (const name of [...Object.keys(NetworkFile.shape), ...Object.keys(token)]) expect(explained).toContain(name)
})

test('every setting of a family is in its README, with the number that is its default', () => {
  const settings = filesOf('chains').filter((file) => /^chains\/\w+\/src\/settings\.ts$/.test(file))
  expect(settings.length).toBeGreaterThan(8)
  for (const file of settings) {
    const family = file.split('/')[1] ?? ''
    const rows = read(`chains/${family}/README.md`).split('\n')
    const named = [...read(file).matchAll(/\w\('([a-z]+(?:_[a-z\d]+)+)'(?:, ([\d_]+)[,)])?/g)]
    for (const [, name = '', usual = ''] of named) {
      const own = rows
        .filter((row) => row.includes(`\`${name}\``))
        .map((row) => row.replaceAll(/(?<=\d),(?=\d{3})/g, ''))
      const isTold = own.some((row) => row.includes(usual.replaceAll('_', '')))
      // For some settings only the minimum is configured, which operators need not know.
      expect([family, name, own.length > 0 && (isTold || name === 'max_call_gas')]).toEqual([family, name, true])
    }
  }
})

test('nodes.md asks for the index of transactions without which no bitcoind is used', () => {
  expect(read('chains/bitcoin/src/node/rpc.ts')).toContain('start it with txindex=1')
  const own = section(read('docs/nodes.md'), '## Your own').split('\n')
  expect(own.find((row) => row.startsWith('| Bitcoin |'))).toContain('`txindex=1`, not pruned')
})

test('every family knows a quorum, as configure.md and security.md say of all of them', () => {
  const asking = filesOf('chains')
    // `poolOptionsOf` of the toolkit passes the network's quorum to the nodes.
    .filter((file) => /^chains\/\w+\/src\/.*(?<!\.test)\.ts$/.test(file) && /quorum|poolOptionsOf\(/.test(read(file)))
    .map((file) => file.split('/')[1])
  // Paradex uses Starknet's code.
  const silent = NETWORK_TYPES.filter((type) => type !== 'paradex' && !asking.includes(type))
  expect(silent).toEqual([])
})

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

test('every link between documents leads somewhere', () => {
  const broken = pages.flatMap(({ file, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^(https?:|mailto:|\/docs)/.test(to))
      .filter((to) => {
        const [place = '', anchor] = to.split('#')
        const target = place === '' ? file : path.join(path.dirname(file), place)
        if (!exists(target)) return true
        const headings = () => [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
        return anchor !== undefined && !headings().includes(anchor)
      })
      .map((to) => `${file} → ${to}`),
  )
  expect(broken).toEqual([])
})

/** Relative to the root, or to a folder of the server. */
const OF_OURS =
  /`((?:core|chains|contracts|networks|server|sdk|devnet|web|tests|docs|api|flow|store|swaps|offer|market|catalogue|apps|admin|console|keys|prices|screening|observe)\/[\w./-]+\.\w+)`/g

test('every script and every file of ours that a document names is there', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const optional = ['networks/routes.json', 'networks/exchanges.json', 'networks/campaigns.json']
  const missing = pages.flatMap(({ file, text }) => [
    ...[...text.matchAll(/npm run (?:-s )?([\w:]+)/g)]
      .filter(([, script = '']) => !Object.hasOwn(scripts, script))
      .map(([found]) => `${file}: ${found}`),
    ...[...text.matchAll(OF_OURS)]
      .filter(([, place = '']) => !exists(place) && !exists(`server/src/${place}`) && !optional.includes(place))
      .map(([, place]) => `${file}: ${place}`),
  ])
  expect(missing).toEqual([])
})

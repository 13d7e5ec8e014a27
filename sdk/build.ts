/**
 * Builds the published package: plain JavaScript with declarations in `dist/`, for browsers and Node, as ES modules and
 * as CommonJS. `npm pack` and `npm publish` run it. The vocabulary shared with the service
 * (`core/src/money/vocabulary.ts`) is copied into the package. `main.ts` is the entry of the published package.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SDK = import.meta.dirname
const ROOT = path.join(SDK, '..')
const OWN_FILE = /( from '\.[^']*)\.ts'/g
const SHARED = /(['"])@causeway\/core\/vocabulary\1/g

const OPTIONS = [
  ...[
    '--target',
    'es2022',
    '--lib',
    'es2024,dom,dom.iterable',
    '--module',
    'nodenext',
    '--types',
    '',
    '--ignoreConfig',
  ],
  ...['--declaration', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'],
]

/**
 * The work folder is inside the package, so that its dependencies are found and the result can be renamed into place.
 */
const work = mkdtempSync(path.join(SDK, '.build-'))
try {
  for (const [format, type] of [
    ['esm', 'module'],
    ['cjs', 'commonjs'],
  ] as const)
    build(path.join(work, format), path.join(work, 'dist', format), type)
  const dist = path.join(SDK, 'dist')
  rmSync(dist, { recursive: true, force: true })
  renameSync(path.join(work, 'dist'), dist)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/**
 * Compiles one of the two formats. The `package.json` next to the files names their module type, for the compiler and
 * for users.
 */
function build(source: string, out: string, type: string): void {
  cpSync(path.join(SDK, 'src'), source, { recursive: true, filter: (file) => !file.endsWith('.test.ts') })
  cpSync(path.join(ROOT, 'core/src/money/vocabulary.ts'), path.join(source, 'vocabulary.ts'))
  for (const file of globSync('**/*.ts', { cwd: source })) publishable(source, file)
  mkdirSync(out, { recursive: true })
  for (const folder of [source, out]) writeFileSync(path.join(folder, 'package.json'), `{ "type": "${type}" }\n`)
  const compiler = path.join(ROOT, 'node_modules/typescript-7/bin/tsc')
  const entries = ['main.ts', 'light.ts', 'wire.ts'].map((file) => path.join(source, file))
  const args = [compiler, '--outDir', out, '--rootDir', source, ...OPTIONS, ...entries]
  execFileSync(process.execPath, args, { stdio: 'inherit' })
}

/** Files of one package name each other as they will be called once built. */
function publishable(folder: string, file: string): void {
  const place = path.join(folder, file)
  const shared = path.posix.relative(path.posix.dirname(file), 'vocabulary.ts')
  const text = readFileSync(place, 'utf8').replaceAll(SHARED, `'${shared.startsWith('.') ? shared : `./${shared}`}'`)
  writeFileSync(place, text.replaceAll(OWN_FILE, "$1.js'"))
}

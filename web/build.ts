/** `npm run build`: builds the pages. With `--if-stale` only if a source is newer than the output. */
import { globSync, statSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'

const here = import.meta.dirname
const SOURCES = [
  'web/{src,public}/**/*',
  'web/*.{ts,html,json}',
  'chains/*/wallet/src/**/*',
  'sdk/src/**/*.ts',
  'core/src/{vocabulary,wallet}.ts',
]

if (!process.argv.includes('--if-stale') || isStale()) {
  await build({ root: here, configFile: path.join(here, 'vite.config.ts'), logLevel: 'warn' })
  console.log('built')
}

function isStale(): boolean {
  const made = changedAt(path.join(here, 'dist/.vite/manifest.json'))
  const files = globSync(SOURCES, { cwd: path.join(here, '..') })
  return files.some((file) => changedAt(path.join(here, '..', file)) > made)
}

/** When the file was changed; 0 if it does not exist. */
function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

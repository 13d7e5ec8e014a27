/**
 * `npm run clients`: writes the generated parts of the Python and the Go client from `sdk/openapi.json`, and the plain types
 * of the TypeScript client from the schemas.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeGo } from './go.ts'
import { modelOf } from './model.ts'
import { writePython } from './python.ts'
import { writeTypes } from './types.ts'

const SDK = path.join(import.meta.dirname, '..')

/** The text of each generated file, by its path in `sdk/`. */
export function generatedFiles(): Record<string, string> {
  const model = modelOf(JSON.parse(readFileSync(path.join(SDK, 'openapi.json'), 'utf8')))
  return {
    'python/causeway/api.py': writePython(model),
    'go/api.go': writeGo(model),
    'src/types.ts': formatted(writeTypes(), 'src/types.ts'),
  }
}

function formatted(text: string, file: string): string {
  const biome = path.join(SDK, '../node_modules/@biomejs/biome/bin/biome')
  const args = [biome, 'format', `--stdin-file-path=${path.join(SDK, file)}`]
  return execFileSync(process.execPath, args, { input: text, encoding: 'utf8' })
}

if (import.meta.main)
  for (const [file, text] of Object.entries(generatedFiles())) writeFileSync(path.join(SDK, file), text)

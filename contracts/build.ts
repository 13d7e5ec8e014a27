/**
 * Compiles the contracts with npm's solc and writes `artifacts.ts`, which is committed, so that running the service
 * needs no compiler. Run it with `npm run contracts`; a test checks that both match.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[]
  contracts: Record<string, Record<string, CompiledContract>>
}

interface CompiledContract {
  abi: unknown[]
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } }
}

const here = import.meta.dirname
export const artifactsFile = join(here, 'artifacts.ts')

/**
 * Deposit addresses are derived from these bytes: another compiler or setting would move every address ever handed out.
 * `paris` has no PUSH0 and runs on every chain. Without metadata the bytecode depends on code alone.
 */
const SETTINGS = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

/** The text of `artifacts.ts` for the current sources. */
export function compile(): string {
  const sources = Object.fromEntries(
    readdirSync(join(here, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sol'))
      .sort()
      .map((name) => [`${OWN_FOLDER}${name}`, { content: readFileSync(join(here, 'src', name), 'utf8') }]),
  )
  const input = { language: 'Solidity', sources, settings: SETTINGS }
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
  if (output.errors?.length) throw new Error(output.errors.map((error) => error.formattedMessage).join('\n'))
  const contracts = Object.entries(output.contracts)
    .filter(([file]) => file.startsWith(OWN_FOLDER))
    .flatMap(([, file]) => Object.entries(file))
    .filter(([, contract]) => contract.evm.bytecode.object !== '')
  return HEADER + contracts.map(([name, contract]) => artifact(name, contract)).join('')
}

const OWN_FOLDER = 'src/'

/** Resolves an `import` of a package's Solidity from node_modules. */
function readImport(name: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(fileURLToPath(import.meta.resolve(name)), 'utf8') }
  } catch (error) {
    return { error: String(error) }
  }
}

const HEADER = '/** Written by build.ts from the Solidity sources: do not edit. `npm run contracts` makes it anew. */\n'

function artifact(name: string, { abi, evm }: CompiledContract): string {
  return `
export const ${name} = {
  abi: ${JSON.stringify(abi)},
  bytecode: '0x${evm.bytecode.object}',
  deployedBytecode: '0x${evm.deployedBytecode.object}',
} as const
`
}

if (import.meta.main) writeFileSync(artifactsFile, compile())

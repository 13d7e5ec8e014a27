/**
 * The Python and Go clients as users get them, with Debian's `python3` and `golang`: their own tests swap through a
 * sandbox. A second validator checks the OpenAPI document.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Sandbox, startSandbox } from '@causeway/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generatedFiles } from '../../sdk/generate/main.ts'
import { callSnippets } from '../../server/src/api/docs/call.ts'
import type { Document } from '../../server/src/api/docs/openapi.ts'
import { startDatabase } from '../support/database/database.ts'

const SDK = path.join(import.meta.dirname, '../../sdk')
/** Where Debian installs the sources of Go packages. */
const DEBIAN_GO = '/usr/share/gocode'
const RUN_MS = 300_000
const run = promisify(execFile)

let sandbox: Sandbox
beforeAll(async () => {
  for (const program of ['python3', 'go']) requireProgram(program)
  const only = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA']
  sandbox = await startSandbox({ only, env: { LOG_LEVEL: 'fatal' }, database: startDatabase })
}, RUN_MS)
afterAll(() => sandbox?.stop())

function requireProgram(name: string): void {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`])
  } catch {
    throw new Error(`${name} is needed: apt-get install python3 golang golang-github-getkin-kin-openapi-dev`)
  }
}

test('the generated files are those that `npm run clients` writes', () => {
  for (const [file, text] of Object.entries(generatedFiles()))
    expect(readFileSync(path.join(SDK, file), 'utf8'), file).toBe(text)
})

test(
  'the Python client swaps, and its README program runs',
  async () => {
    const cwd = path.join(SDK, 'python')
    const env = { ...process.env, CAUSEWAY_URL: sandbox.url, PYTHONDONTWRITEBYTECODE: '1' }
    const tested = await run('python3', ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], { cwd, env })
    expect(tested.stderr).toMatch(/Ran 7 tests[\s\S]*OK/)
    const [, program = ''] = /```python\n(.*?)```/s.exec(readFileSync(path.join(cwd, 'README.md'), 'utf8')) ?? []
    // No test pays this swap: it is only read.
    const patient = program.replace('wait_for_swap(created["swap"]["id"])', 'get_swap(created["swap"]["id"])')
    const { stdout } = await run('python3', ['-c', patient.replace('http://localhost:8080', sandbox.url)], { cwd, env })
    expect(stdout).toMatch(
      /0\.1 ETH delivers [\d.]+ USDC\nsend 100000000000000000 to 0x\w+ with data 0x\w+\nuser_transfer_pending/,
    )
  },
  RUN_MS,
)

test(
  'the Go client is as gofmt writes it, and swaps',
  async () => {
    expect((await run('gofmt', ['-l', path.join(SDK, 'go')])).stdout).toBe('')
    const env = { ...process.env, CAUSEWAY_URL: sandbox.url, GOPROXY: 'off', GOFLAGS: '-mod=mod' }
    const { stdout } = await run('go', ['test', '-count=1', '-vet=all', './...'], { cwd: path.join(SDK, 'go'), env })
    expect(stdout).toMatch(/^ok\s+causeway/)
  },
  RUN_MS,
)

test(
  'kin-openapi accepts the 3.0 document, with its examples',
  async () => {
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: DEBIAN_GO, GOFLAGS: '' }
    const program = path.join(import.meta.dirname, 'validate-openapi/main.go')
    const { stdout } = await run('go', ['run', program, path.join(SDK, 'openapi-3.0.json')], { env })
    expect(stdout).toMatch(/^\d+ paths are valid/)
  },
  RUN_MS,
)

/** The code that the reference shows, by operation. */
function snippetsIn(language: string) {
  const document: Document = JSON.parse(readFileSync(path.join(SDK, 'openapi.json'), 'utf8'))
  return Object.entries(document.paths).flatMap(([place, methods]) =>
    Object.entries(methods).flatMap(([method, call]) =>
      callSnippets({ method, path: place, ...call }, document)
        .filter((snippet) => snippet.language === language)
        .map(({ code }) => ({ id: call.operationId, request: `${method.toUpperCase()} ${place}`, code })),
    ),
  )
}

test('the Python code of the reference makes the documented calls', { timeout: RUN_MS }, async () => {
  const snippets = snippetsIn('Python')
  const cwd = path.join(SDK, 'python')
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await run('python3', ['-c', RECORD_CALLS, JSON.stringify(snippets)], { cwd, env })
  const made: Record<string, string> = JSON.parse(stdout)
  for (const { id, request } of snippets)
    expect(made[id], id).toBe(id === 'streamSwap' ? 'GET /api/v2/swaps/{swapId}' : request)
})

/** Runs each program with a transport that keeps the request. */
const RECORD_CALLS = `
import json, sys
import causeway
made = {}
for one in json.loads(sys.argv[1]):
    def call(self, method, path, **given):
        made[one["id"]] = method + " " + path
        return {"swap": {"status": "completed"}}
    causeway.Client.call = call
    exec(one["code"], {})
print(json.dumps(made))
`

test('the Go code of the reference compiles', { timeout: RUN_MS }, async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-go-'))
  try {
    const functions = snippetsIn('Go').map(({ id, code }) => {
      const used = code.includes('answer, err') ? '_, _ = answer, err' : '_ = err'
      return `func ${id}(ctx context.Context) {\n${code}\n${used}\n}\n`
    })
    const head =
      'package main\n\nimport (\n"causeway"\n"context"\n"time"\n)\n\nconst _ = time.Second\n\nfunc main() {}\n'
    writeFileSync(path.join(folder, 'main.go'), `${head}\n${functions.join('\n')}`)
    const module = `module docs\n\ngo 1.19\n\nrequire causeway v0.0.0\n\nreplace causeway => ${path.join(SDK, 'go')}\n`
    writeFileSync(path.join(folder, 'go.mod'), module)
    await run('go', ['vet', '.'], { cwd: folder, env: { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod' } })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

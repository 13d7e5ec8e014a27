/** The programs in `examples/` run as their README says, all against one sandbox. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Sandbox, startSandbox } from '@causeway/devnet'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChrome } from '../browser/support/chrome.ts'
import { startDatabase } from '../support/database/database.ts'
import { eventually } from '../support/runner/eventually.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const EXAMPLES = path.join(ROOT, 'examples')
const RUN_MS = 300_000
const ARRIVED = /0\.1 ETH delivers [\d.]+ USDC\nswap [\w-]{36}\ncompleted: [\d.]+ USDC arrived\n/
const run = promisify(execFile)

let sandbox: Sandbox
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  const only = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA']
  sandbox = await startSandbox({ only, env: { LOG_LEVEL: 'fatal' }, database: startDatabase })
  env = { ...process.env, CAUSEWAY_URL: sandbox.url }
}, RUN_MS)
afterAll(() => sandbox?.stop())

test('every example is in the README, and is run here', () => {
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => name).sort()
  expect(names).toEqual(['browser', 'curl', 'go', 'node-checkout', 'python'])
  const readme = readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8')
  for (const name of names) expect(readme).toContain(`| \`${name}\` |`)
})

test('curl', { timeout: RUN_MS }, async () => {
  const { stdout } = await run('sh', [path.join(EXAMPLES, 'curl/swap.sh')], { env })
  expect(stdout).toMatch(/^0\.1 ETH delivers [\d.]+ USDC\nswap [\w-]{36}\nid: completed\n$/)
})

test('Python', { timeout: RUN_MS }, async () => {
  const PYTHONPATH = path.join(ROOT, 'sdk/python')
  const options = { env: { ...env, PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1' } }
  expect((await run('python3', [path.join(EXAMPLES, 'python/swap.py')], options)).stdout).toMatch(ARRIVED)
})

test('Go', { timeout: RUN_MS }, async () => {
  const cwd = path.join(EXAMPLES, 'go')
  expect((await run('gofmt', ['-l', cwd])).stdout).toBe('')
  const { stdout } = await run('go', ['run', '.'], { cwd, env: { ...env, GOPROXY: 'off', GOFLAGS: '-mod=mod' } })
  expect(stdout).toMatch(ARRIVED)
})

test('a shop: an order is paid when its webhook says that the swap completed', { timeout: RUN_MS }, async () => {
  const args = ['--conditions=causeway-source', path.join(EXAMPLES, 'node-checkout/server.mjs')]
  const shop = spawn(process.execPath, args, { env: { ...env, CAUSEWAY_KEY: sandbox.keys.secret, PORT: '0' } })
  try {
    const url = await shopUrl(shop)
    const order = await post(`${url}/orders`, { id: '1234', amount: '0.1' })
    expect(order).toMatchObject({ status: 'waiting', pay: [{ type: 'manual_transfer', amount: 0.1 }] })
    expect((await post(`${url}/orders`, { id: '1234', amount: '0.1' })).swap_id).toBe(order.swap_id)
    await post(`${sandbox.url}/sandbox/deposit`, { swap_id: order.swap_id })
    await eventually(async () => (await (await fetch(`${url}/orders/1234`)).json()).status === 'paid', 'the webhook')
    const forged = await fetch(`${url}/hooks`, { method: 'POST', body: '{"type":"swap.completed"}' })
    expect(forged.status).toBe(400)
  } finally {
    shop.kill()
  }
})

test('a page on another host follows a swap to its end', { timeout: RUN_MS }, async () => {
  const site = await serve(path.join(EXAMPLES, 'browser'))
  const browser = await chromium.launch({ executablePath: findChrome(), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    const { port } = site.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/index.html?base=${encodeURIComponent(sandbox.url)}`)
    await page.getByText('0.1 ETH delivers').waitFor()
    await page.getByRole('button', { name: 'Swap 0.1 ETH' }).click()
    await page.getByRole('status').filter({ hasText: 'completed' }).waitFor({ timeout: RUN_MS })
  } finally {
    await browser.close()
    site.close()
  }
})

function shopUrl(shop: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const read = (data: Buffer) => {
      printed += data
      const [, url] = /open at (\S+)/.exec(printed) ?? []
      if (url) resolve(url)
    }
    shop.stdout?.on('data', read)
    shop.stderr?.on('data', read)
    shop.once('exit', () => reject(new Error(printed)))
  })
}

async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
  return answer.json()
}

/** Serves the two files of the page. */
function serve(folder: string): Promise<Server> {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }
  const site = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? '/', 'http://site').pathname)
    const type = types[path.extname(name)]
    if (!type || !readdirSync(folder).includes(name)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': type }).end(readFileSync(path.join(folder, name)))
  })
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)))
}

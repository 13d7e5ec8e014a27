/**
 * The Grafana dashboard against a running service: Debian's Prometheus scrapes it, and runs every query of every panel. Grafana
 * itself does not run here; its provisioning files are checked against the dashboard and the compose file.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../devnet/src/ports.ts'
import { actionOf, startWorld, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { requirePrograms } from './programs.ts'

const DEPLOY = path.join(import.meta.dirname, '../../deploy')
const CONFIG = path.join(DEPLOY, 'prometheus/prometheus.yml')
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8')
const { prometheus, promtool } = requirePrograms({ prometheus: 'prometheus', promtool: 'prometheus' })
const SLOW_MS = 180_000

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  datasource?: { uid: string }
  targets?: { expr: string; datasource: { uid: string } }[]
}
const { panels } = JSON.parse(read('grafana/dashboards/causeway.json')) as { panels: Panel[] }
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

const COMPLETED = 'causeway_swap_transitions_total{status="completed"}'

/** Queries that are rightly empty for a healthy service after its first swaps. */
const EMPTY: Record<string, string> = {
  'Firing alerts by name': 'no alert fires',
  'Skipped items per minute': 'no item failed',
  'Tokens in all wallets, change in 24 h': 'Prometheus has run for less than a day',
}
/** Panels whose counters start at 0, and stay there while nothing is wrong. */
const ZERO = ['Reorgs, 24 h', 'Failed rounds of a watcher per minute', 'Webhooks per minute']

let world: World
let url: string
const stops: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  world = await startWorld({}, true, ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
  stops.push(world.stop)
  url = await startPrometheus(new URL(world.sandbox.internalUrl ?? '').host)
  // A status gets its counter with the first swap, so that only the second one is an increase.
  await swapOnce()
  await eventually(async () => (await query(COMPLETED)).length > 0, 'a scrape of the first swap')
  await swapOnce()
}, SLOW_MS)

afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

it('promtool accepts the configuration, with its rules', () => {
  const told = execFileSync(promtool, ['check', 'config', CONFIG], { stdio: 'pipe', encoding: 'utf8' })
  expect(told).toContain('SUCCESS')
  expect(told).toMatch(/\d+ rules found/)
})

it('the dashboard answers the three questions', () => {
  const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title)
  expect(rows).toEqual(['Is money safe?', 'Is it moving?', 'Is it profitable?'])
  expect(queries.length).toBeGreaterThan(30)
  expect([...Object.keys(EMPTY), ...ZERO].filter((title) => !queries.some((one) => one.title === title))).toEqual([])
})

it('the queries name only metrics that the service serves, and need no variable of Grafana', async () => {
  const answer = await fetch(`${world.sandbox.internalUrl}/metrics`)
  const served = [...(await answer.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)
  const named = queries.flatMap(({ expr }) => [...expr.matchAll(/\bcauseway_\w+/g)].map(([name]) => name))
  const metrics = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
  expect([...metrics].filter((name) => !served.includes(name))).toEqual([])
  expect(queries.filter(({ expr }) => expr.includes('$'))).toEqual([])
})

it.each(queries.map(({ title, expr }, n) => [`${n + 1}, ${title}`, title, expr]))(
  'query %s',
  async (_, title, expr) => {
    // An empty result is right for some panels, an error for none.
    if (title in EMPTY) expect([expr, await query(expr)]).toEqual([expr, []])
    else await eventually(async () => (await query(expr)).length > 0, `series for ${expr}`)
    if (ZERO.includes(title)) expect(new Set((await query(expr)).map(({ value }) => value[1]))).toEqual(new Set(['0']))
  },
)

it('the panels show the swap, and that nothing is wrong', async () => {
  await eventually(async () => Number(await shownBy('Completed swaps, 24 h')) > 0, 'the swap in the dashboard')
  expect(await shownBy('Signer')).toBe('1')
  expect(await shownBy('Processes that answer')).toBe('1')
  expect(await shownBy('Nodes that answer')).toBe('1')
  expect(await shownBy('Held payouts')).toBe('0')
  expect(await shownBy('Deposits without a swap')).toBe('0')
  expect(await shownBy('Swaps that are owed')).toBe('0')
  expect(await shownBy('Requests without a server error, 1 h')).toBe('1')
  expect(await shownBy('Quotes that are answered, 1 h')).toBe('1')
  expect(await shownBy('Payouts sent within 30 s, 1 h')).toBe('1')
  expect(await shownBy('Error budget left, 30 days')).toBe('1')
})

it('Grafana is provisioned with this source and this dashboard, and no two panels overlap', () => {
  const { datasources } = parse(read('grafana/provisioning/datasources/prometheus.yml'))
  const { providers } = parse(read('grafana/provisioning/dashboards/causeway.yml'))
  const { services } = parse(read('compose.yaml'), { merge: true })
  const used = panels.flatMap(({ datasource, targets = [] }) => [
    ...(datasource ? [datasource.uid] : []),
    ...targets.map((target) => target.datasource.uid),
  ])
  expect(new Set(used)).toEqual(new Set([datasources[0].uid]))
  expect(datasources[0].url).toBe('http://prometheus:9090')
  expect(services.grafana.volumes).toContain(`./grafana/dashboards:${providers[0].options.path}:ro`)
  expect(services.grafana.volumes).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro')
  expect(services.grafana.networks).toContain('monitoring')
  expect(services.grafana.ports).toEqual(['127.0.0.1:3000:3000'])

  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
})

/** Runs the shipped configuration with another target, scraped every second, and without an Alertmanager. */
async function startPrometheus(target: string): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-prometheus-'))
  const { scrape_configs, alerting: _, ...shipped } = parse(readFileSync(CONFIG, 'utf8'))
  const own = {
    ...shipped,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: shipped.rule_files.map((file: string) => path.join(path.dirname(CONFIG), file)),
    scrape_configs: [{ ...scrape_configs[0], static_configs: [{ targets: [target] }] }],
  }
  const file = path.join(folder, 'prometheus.yml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(own))
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`]
  const server = spawn(prometheus, flags, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const printed: string[] = []
  server.stderr.on('data', (text) => printed.push(`${text}`))
  stops.push(async () => {
    if (server.exitCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  })
  await eventually(async () => {
    if (server.exitCode !== null) throw new Error(`Prometheus ended: ${printed.join('')}`)
    return (await fetch(`http://${address}/-/ready`)).ok
  }, 'Prometheus to start')
  return `http://${address}`
}

/** The series of a query now. Throws if Prometheus refuses the query. */
async function query(expr: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> {
  const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) })
  const { status, error, data } = await answer.json()
  if (status !== 'success') throw new Error(`${expr}: ${error}`)
  return data.result
}

async function shownBy(title: string): Promise<string | undefined> {
  const found = queries.find((one) => one.title === title)
  if (!found) throw new Error(`no panel ${title}`)
  const [series] = await query(found.expr)
  return series?.value[1]
}

async function swapOnce(): Promise<void> {
  const route = {
    source_network: 'ETHEREUM_SEPOLIA',
    source_token: 'ETH',
    destination_network: 'BASE_SEPOLIA',
    destination_token: 'USDC',
    amount: 0.05,
  }
  const asked = Object.entries(route).map(([name, value]) => [name, `${value}`])
  expect((await fetch(`${world.sandbox.url}/api/v2/quote?${new URLSearchParams(asked)}`)).status).toBe(200)
  const swap = await world.client.create({ ...route, destination_address: world.stranger() })
  await world.deposit(world.token('ETHEREUM_SEPOLIA', 'ETH'), actionOf(swap))
  await world.client.reaches(swap.swap.id, 'completed')
}

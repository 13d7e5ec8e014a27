/** The version of this program, as a metric: a rollout shows which processes are not upgraded yet. */
import { readFileSync } from 'node:fs'
import { Gauge, type Registry } from 'prom-client'

const FILE = new URL('../../package.json', import.meta.url)

export function buildVersion(): string {
  return (JSON.parse(readFileSync(FILE, 'utf8')) as { version: string }).version
}

export function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'causeway_build_info',
    help: 'Always 1; the labels name the version of this program and of Node',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: buildVersion(), node: process.version }, 1)
}

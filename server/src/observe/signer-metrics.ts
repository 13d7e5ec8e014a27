/** The metrics of the signer process, in Prometheus format. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { addBuildInfo } from './build-info.ts'

export function createSignerMetrics(networks: readonly string[]) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'causeway_' })
  addBuildInfo(registry)
  const registers = [registry]
  const signed = new Counter({
    name: 'causeway_signer_signed_total',
    help: 'Transactions that were signed, by network',
    labelNames: ['network'],
    registers,
  })
  const refused = new Counter({
    name: 'causeway_signer_refused_total',
    help: 'Orders that were not signed, by network: the policy or the journal refused them',
    labelNames: ['network'],
    registers,
  })
  // From zero, so that the first event is an increase.
  for (const network of networks) for (const counter of [signed, refused]) counter.inc({ network }, 0)
  return {
    registry,
    signed,
    refused,
    failures: new Counter({
      name: 'causeway_signer_failures_total',
      help: 'Requests that failed in the signer itself: its log says why',
      registers,
    }),
    ready: new Gauge({
      name: 'causeway_signer_ready',
      help: 'Whether the journal can be written and signing is not stopped',
      registers,
    }),
    journalLine: new Gauge({
      name: 'causeway_signer_journal_line',
      help: 'Number of the last line of the signing journal',
      registers,
    }),
  }
}

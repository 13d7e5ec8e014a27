/** The metrics of `/metrics`, in Prometheus format. */

import { STATUSES } from '@causeway/core'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { addBuildInfo } from './build-info.ts'
import { createRequestTimes } from './requests.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'causeway_' })
  addBuildInfo(registry)
  const registers = [registry]
  const signerUp = new Gauge({
    name: 'causeway_signer_up',
    help: 'Whether the signer, or the signing journal of this process, works; absent in a process that does not sign',
    registers,
  })
  // Without a label it would be 0 from the start, also in a process that does not sign.
  signerUp.remove()
  return {
    registry,
    head: new Gauge({ name: 'causeway_chain_head', help: 'Newest block seen', labelNames: ['network'], registers }),
    scanned: new Gauge({
      name: 'causeway_chain_scanned',
      help: 'Newest block read',
      labelNames: ['network'],
      registers,
    }),
    nodeErrors: new Counter({
      name: 'causeway_chain_errors_total',
      help: 'Rounds of a watcher that failed, by network',
      labelNames: ['network'],
      registers,
    }),
    nodeHealth: new Gauge({
      name: 'causeway_node_up',
      help: 'Whether the last thing asked of a node worked, by network and node',
      labelNames: ['network', 'node'],
      registers,
    }),
    nodeDiffers: new Gauge({
      name: 'causeway_node_differs_total',
      help: 'How often others agreed on something else than a node said',
      labelNames: ['network', 'node'],
      registers,
    }),
    nodeRequests: new Counter({
      name: 'causeway_node_requests_total',
      help: 'Requests that nodes were sent, by network and method',
      labelNames: ['network', 'method'],
      registers,
    }),
    aggregatorOffers: new Counter({
      name: 'causeway_aggregator_offers_total',
      help: 'Exchanges that an aggregator was asked for, by network and aggregator, and whether its call was used',
      labelNames: ['network', 'aggregator', 'used'],
      registers,
    }),
    reorgs: new Counter({ name: 'causeway_reorgs_total', help: 'Reorgs seen', labelNames: ['network'], registers }),
    deposits: new Counter({
      name: 'causeway_deposits_total',
      help: 'Deposits by outcome: matched, unmatched, confirmed, gone',
      labelNames: ['network', 'outcome'],
      registers,
    }),
    transitions: new Counter({
      name: 'causeway_swap_transitions_total',
      help: 'Swaps that came into a status',
      labelNames: ['status'],
      registers,
    }),
    payouts: new Counter({
      name: 'causeway_payouts_total',
      help: 'Payouts by step: signed, sent, replaced, cancelling, cancelled, confirmed, reverted, dead, held',
      labelNames: ['network', 'step'],
      registers,
    }),
    walletBalance: new Gauge({
      name: 'causeway_wallet_balance',
      help: "Balance of a network's wallet when it was last read, in whole tokens",
      labelNames: ['network', 'token', 'contract'],
      registers,
    }),
    walletRead: new Gauge({
      name: 'causeway_wallet_read_timestamp_seconds',
      help: 'When the wallet of a network was last read, in seconds since 1970',
      labelNames: ['network'],
      registers,
    }),
    webhooks: new Counter({
      name: 'causeway_webhooks_total',
      help: 'Attempts to deliver a webhook: delivered, failed, given up',
      labelNames: ['outcome'],
      registers,
    }),
    troubles: new Counter({
      name: 'causeway_troubles_total',
      help: 'Single items that could not be worked on and were left out, by what they are',
      labelNames: ['what'],
      registers,
    }),
    alerts: new Counter({
      name: 'causeway_alerts_total',
      help: 'Problems about money that an operator must check',
      registers,
    }),
    payoutsHeld: new Gauge({
      name: 'causeway_payouts_held',
      help: 'Payouts that are held now, by a rule or by trouble',
      registers,
    }),
    payoutOldest: new Gauge({
      name: 'causeway_payout_oldest_seconds',
      help: 'Age of the oldest payout that is neither confirmed nor given up; 0 if there is none',
      registers,
    }),
    swapsOwed: new Gauge({
      name: 'causeway_swaps_owed',
      help: 'Swaps whose money can neither be swapped nor refunded automatically',
      registers,
    }),
    depositsUnmatched: new Gauge({
      name: 'causeway_deposits_unmatched',
      help: "Deposits without a swap that wait for an operator's decision",
      registers,
    }),
    reads: new Counter({
      name: 'causeway_reads_total',
      help: 'Lists and polled swaps that were read, by server: standby or primary. Only with DATABASE_READ_URL',
      labelNames: ['server'],
      registers,
    }),
    spans: new Counter({
      name: 'causeway_spans_total',
      help: 'Spans of traces: sent, dropped while the queue was full, or failed. Only with OTEL_EXPORTER_OTLP_ENDPOINT',
      labelNames: ['outcome'],
      registers,
    }),
    jobsWaiting: new Gauge({
      name: 'causeway_jobs_waiting',
      help: 'Jobs of the queue that are due and that no worker has taken',
      registers,
    }),
    canaryUp: new Gauge({
      name: 'causeway_canary_up',
      help: 'Whether the newest canary swap worked, by source network and funding method; absent if there was none',
      labelNames: ['network', 'method'],
      registers,
    }),
    canarySuccess: new Gauge({
      name: 'causeway_canary_success_timestamp_seconds',
      help: 'When a canary swap last worked, in seconds since 1970',
      labelNames: ['network', 'method'],
      registers,
    }),
    canaryFailures: new Gauge({
      name: 'causeway_canary_failures_total',
      help: 'Canary swaps that failed',
      labelNames: ['network', 'method'],
      registers,
    }),
    signerUp,
    clockSkew: new Gauge({
      name: 'causeway_clock_skew_seconds',
      help: "How far this process's clock is ahead of the database's",
      registers,
    }),
    logErrors: new Counter({
      name: 'causeway_log_errors_total',
      help: 'Log lines at level error: an operator must act',
      registers,
    }),
    detectionToBroadcast: new Histogram({
      name: 'causeway_detection_to_broadcast_seconds',
      help: 'From storing a payout, when its deposit is credited, to its first broadcast',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 5, 30],
      registers,
    }),
    requests: createRequestTimes(registry),
  }
}

const DEPOSIT_OUTCOMES = ['matched', 'unmatched', 'confirmed', 'gone']
const PAYOUT_STEPS = ['signed', 'sent', 'replaced', 'cancelling', 'cancelled', 'confirmed', 'reverted', 'dead', 'held']
const WEBHOOK_OUTCOMES = ['delivered', 'failed', 'given up']

/**
 * Counters with labels start at zero for all known labels. Prometheus sees no increase in a counter that appears with its
 * first event, so an alert would miss that event after each start.
 */
export function startCounters(metrics: Metrics, networks: readonly { name: string }[]): void {
  for (const status of STATUSES) metrics.transitions.inc({ status }, 0)
  for (const outcome of WEBHOOK_OUTCOMES) metrics.webhooks.inc({ outcome }, 0)
  for (const { name: network } of networks) {
    metrics.nodeErrors.inc({ network }, 0)
    metrics.reorgs.inc({ network }, 0)
    for (const outcome of DEPOSIT_OUTCOMES) metrics.deposits.inc({ network, outcome }, 0)
    for (const step of PAYOUT_STEPS) metrics.payouts.inc({ network, step }, 0)
  }
}

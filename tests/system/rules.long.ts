/** The alert rules with Debian's promtool: each fires on its cause, ends with it, and stays silent while nothing is wrong. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { requirePrograms } from './programs.ts'

const FOLDER = path.join(import.meta.dirname, '../../deploy/prometheus')
const RULES = path.join(FOLDER, 'rules.yml')
const { promtool, amtool } = requirePrograms({ promtool: 'prometheus', amtool: 'prometheus-alertmanager' })

/** Values once a minute, as promtool writes them: `0x60` is zero for an hour. */
type Series = Record<string, string>

const HEALTHY: Series = {
  'up{job="causeway",instance="work"}': '1x600',
  'causeway_log_errors_total{instance="work"}': '0x600',
  'causeway_signer_up{instance="work"}': '1x600',
  'causeway_clock_skew_seconds{instance="work"}': '0.1x600',
  'causeway_chain_errors_total{network="A"}': '0x600',
  'causeway_chain_head{network="A"}': '100+5x600',
  'causeway_chain_scanned{network="A"}': '100+5x600',
  'causeway_node_up{network="A",node="one"}': '1x600',
  causeway_payouts_held: '0x600',
  causeway_payout_oldest_seconds: '20x600',
  'causeway_wallet_read_timestamp_seconds{network="A"}': '0+60x600',
  'causeway_swap_transitions_total{status="refund_pending"}': '0x600',
  causeway_deposits_unmatched: '0x600',
  causeway_swaps_owed: '0x600',
  'causeway_canary_up{network="A",method="deposit_address"}': '1x600',
  causeway_signer_ready: '1x600',
  'causeway_signer_refused_total{network="A"}': '0x600',
  causeway_signer_journal_line: '100+1x600',
  'causeway_http_request_seconds_count{route="/api/v2/quote",status="200"}': '0+10x600',
  'causeway_http_request_seconds_count{route="/api/v2/quote",status="503"}': '0x600',
  'causeway_detection_to_broadcast_seconds_bucket{le="30"}': '0+2x600',
  causeway_detection_to_broadcast_seconds_count: '0+2x600',
  'causeway_canary_success_timestamp_seconds{network="A",method="deposit_address"}': '0+60x600',
}

interface Case {
  series: Series
  /** A minute at which the alert fires. */
  firesAt: number
  /** A minute after the recovery. */
  quietAt: number
}

/** The series of each cause: three hours in order, then trouble, then order again. */
const CAUSES: Record<string, Case> = {
  CausewayErrorLogged: {
    series: { 'causeway_log_errors_total{instance="work"}': '0x180 1x400' },
    firesAt: 185,
    quietAt: 200,
  },
  CausewayDown: { series: { 'up{job="causeway",instance="work"}': '1x180 0x10 1x400' }, firesAt: 184, quietAt: 195 },
  SignerDown: { series: { 'causeway_signer_up{instance="work"}': '1x180 0x10 1x400' }, firesAt: 183, quietAt: 195 },
  ClockWrong: {
    series: { 'causeway_clock_skew_seconds{instance="work"}': '0x180 -25000x10 0x400' },
    firesAt: 184,
    quietAt: 195,
  },
  ChainUnreadable: {
    series: { 'causeway_chain_errors_total{network="A"}': '0x180 0+60x10 600x400' },
    firesAt: 189,
    quietAt: 210,
  },
  ChainHeadStalled: {
    series: {
      'causeway_chain_head{network="A"}': '100+5x180 1000x150 1005+5x200',
      'causeway_chain_scanned{network="A"}': '100+5x180 1000x150 1005+5x200',
    },
    firesAt: 325,
    quietAt: 350,
  },
  ScanLagging: {
    series: {
      'causeway_chain_scanned{network="A"}': '100+5x180 1000x300 2500+5x100',
      'causeway_chain_head{network="A"}': '100+5x600',
    },
    firesAt: 420,
    quietAt: 490,
  },
  NodeDown: { series: { 'causeway_node_up{network="A",node="one"}': '1x180 0x30 1x300' }, firesAt: 200, quietAt: 215 },
  PayoutsHeld: { series: { causeway_payouts_held: '0x180 2x60 0x300' }, firesAt: 215, quietAt: 245 },
  PayoutsWait: { series: { causeway_payout_oldest_seconds: '20x180 1000x30 20x300' }, firesAt: 190, quietAt: 215 },
  WalletNotRead: {
    series: { 'causeway_wallet_read_timestamp_seconds{network="A"}': '0+60x180 10800x60 14460+60x300' },
    firesAt: 205,
    quietAt: 250,
  },
  RefundRateHigh: {
    series: { 'causeway_swap_transitions_total{status="refund_pending"}': '0x180 0+1x10 10x300' },
    firesAt: 195,
    quietAt: 260,
  },
  MoneyWithoutSwap: { series: { causeway_deposits_unmatched: '0x180 1x90 0x300' }, firesAt: 250, quietAt: 275 },
  SignerNotReady: { series: { causeway_signer_ready: '1x180 0x10 1x400' }, firesAt: 183, quietAt: 195 },
  SignerRefuses: {
    series: { 'causeway_signer_refused_total{network="A"}': '0x180 0+2x10 20x400' },
    firesAt: 188,
    quietAt: 210,
  },
  SignerJournalBack: { series: { causeway_signer_journal_line: '100+1x180 50+1x300' }, firesAt: 185, quietAt: 200 },
  QuotesUnavailable: {
    series: { 'causeway_http_request_seconds_count{route="/api/v2/quote",status="503"}': '0x180 0+5x30 150x400' },
    firesAt: 205,
    quietAt: 300,
  },
  PayoutsSlow: {
    series: { 'causeway_detection_to_broadcast_seconds_bucket{le="30"}': '0+2x180 360x30 362+2x400' },
    firesAt: 205,
    quietAt: 300,
  },
  CanaryFailed: {
    series: { 'causeway_canary_up{network="A",method="deposit_address"}': '1x180 0x30 1x300' },
    firesAt: 185,
    quietAt: 215,
  },
  // The newest success is from before Prometheus started, until another one.
  CanaryStale: {
    series: {
      'causeway_canary_success_timestamp_seconds{network="A",method="deposit_address"}':
        '0x180 -180000x30 12600+60x300',
    },
    firesAt: 185,
    quietAt: 215,
  },
  MoneyOwed: { series: { causeway_swaps_owed: '0x180 1x90 0x300' }, firesAt: 250, quietAt: 275 },
}

const firing = (alert: string) => `count(ALERTS{alertname=~"${alert}",alertstate="firing"}) or vector(0)`

function check(series: Series, expected: { alert: string; minute: number; count: number }[]): void {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-rules-')), 'test.yml')
  const test = {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: expected.map(({ alert, minute, count }) => ({
      expr: firing(alert),
      eval_time: `${minute}m`,
      exp_samples: [{ labels: '{}', value: count }],
    })),
  }
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [test] }))
  execFileSync(promtool, ['test', 'rules', file], { stdio: 'pipe', encoding: 'utf8' })
}

it('promtool and amtool accept the files', () => {
  execFileSync(promtool, ['check', 'rules', RULES], { stdio: 'pipe' })
  // Alertmanager reads a webhook's address from a file since 0.26. Debian 12 has 0.25, so the test names the address itself.
  const text = readFileSync(path.join(FOLDER, 'alertmanager.yml'), 'utf8')
  const older = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-rules-')), 'alertmanager.yml')
  writeFileSync(older, text.replace('- url_file: /run/secrets/alert_webhook_url', '- url: http://127.0.0.1/'))
  const told = execFileSync(amtool, ['check-config', older], { stdio: 'pipe', encoding: 'utf8' })
  expect(told).toContain('SUCCESS')
  for (const kind of ['webhook', 'email', 'slack']) expect(text).toContain(`${kind}_configs:`)
})

it('every rule has a cause here', () => {
  const named = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(Object.keys(CAUSES).toSorted()).toEqual(named.toSorted())
})

it.each(Object.entries(CAUSES))(
  '%s fires on its cause, alone, and ends with it',
  (alert, { series, firesAt, quietAt }) => {
    check({ ...HEALTHY, ...series }, [
      { alert, minute: 170, count: 0 },
      { alert, minute: firesAt, count: 1 },
      { alert: '.*', minute: firesAt, count: 1 },
      { alert: '.*', minute: quietAt, count: 0 },
    ])
  },
)

it('nothing fires in a fresh Prometheus, from the first minute on', () => {
  const minutes = [0, 1, 2, 5, 10, 30, 60, 119, 120, 121, 180, 300]
  check(
    HEALTHY,
    minutes.map((minute) => ({ alert: '.*', minute, count: 0 })),
  )
})

it('nothing fires while a new service has read nothing yet', () => {
  const started: Series = {
    'up{job="causeway",instance="work"}': '1x600',
    'causeway_log_errors_total{instance="work"}': '0x600',
  }
  check(
    started,
    [1, 10, 60, 130, 300].map((minute) => ({ alert: '.*', minute, count: 0 })),
  )
})

it('nothing fires when a network is added later', () => {
  const added: Series = {
    'causeway_chain_errors_total{network="B"}': '_x180 0x400',
    'causeway_chain_head{network="B"}': '_x180 900000+1x400',
    'causeway_chain_scanned{network="B"}': '_x180 900000+1x400',
    'causeway_node_up{network="B",node="two"}': '_x180 1x400',
    'causeway_wallet_read_timestamp_seconds{network="B"}': '_x180 10860+60x400',
  }
  check(
    { ...HEALTHY, ...added },
    [180, 181, 185, 200, 300, 310, 400].map((minute) => ({ alert: '.*', minute, count: 0 })),
  )
})

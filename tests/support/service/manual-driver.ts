/**
 * The service over simulated chains, driven by hand: a test creates a swap, deposits and mines, and decides when a
 * network is watched and when due jobs run. Its clock stands still until it is moved.
 */
import pg from 'pg'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { findChain, type SimulatedChain, type SimulatedNode } from '../../../chains/simulated/local/src/index.ts'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { createWatcher } from '../../../server/src/flow/watch/watch.ts'
import type { Journal } from '../../../server/src/keys/journal/journal.ts'
import { type CreatedSwap, createSwap } from '../../../server/src/swaps/create-swap.ts'
import { startServices, type TestServices } from './services.ts'

export interface Hand {
  services: TestServices
  chain(network: string): SimulatedChain
  node(network: string): SimulatedNode
  /** A swap of some USDC, fifty by default, to a new recipient. */
  swap(
    source: string,
    destination: string,
    options?: {
      useDepositAddress?: boolean
      amount?: string
      sourceAddress?: string | null
      destinationToken?: string
    },
  ): Promise<CreatedSwap>
  /** Pays the requested amount; returns the hash. */
  deposit(swap: CreatedSwap): string
  watch(network: string): Promise<void>
  /** Runs due payments, and those that follow from them at once. */
  runJobs(): Promise<void>
  passTime(ms: number): void
  stop(): Promise<void>
}

const AMOUNT = '50'
/** The lease expires by the database's clock, which the driver does not control: it is taken at every turn. */
const PACE = { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 }

/** `onOldChains`: another process over the same chains, and perhaps another database. */
export async function startHand(
  databaseUrl: string,
  env: Record<string, string> = {},
  { onOldChains = false, journal, keys }: { onOldChains?: boolean; journal?: Journal; keys?: string } = {},
): Promise<Hand> {
  let elapsedMs = 0
  const started = Date.now()
  const services = await startServices(
    databaseUrl,
    { SEND_PATIENCE_MS: '0', ...env },
    () => new Date(started + elapsedMs),
    onOldChains ? 'old' : 'new',
    journal,
    keys,
  )
  const watchers = new Map([...services.chains].map(([name, chain]) => [name, createWatcher(services, chain, PACE)]))
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  pool.on('error', () => undefined)
  // Dropping a database ends connections that were closed a moment ago.
  pool.on('connect', (client) => client.on('error', () => undefined))
  let made = 0
  const hand: Hand = {
    services,
    chain: (network) => findChain(network).chain,
    node: (network) => findChain(network).node,
    async swap(
      sourceNetwork,
      destinationNetwork,
      { useDepositAddress = false, amount = AMOUNT, sourceAddress = null, destinationToken = 'USDC' } = {},
    ) {
      // The clock may have moved since: prices and fees are refreshed, as in a running service.
      await services.refresh()
      const token = { sourceToken: 'USDC', destinationToken }
      const recipient = accountFrom(`${databaseUrl} recipient ${++made}`).address
      const nobody = { sourceAddress, sourceExchange: null, destinationExchange: null, correlationId: null }
      const no = { refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true }
      return createSwap(services, {
        ...{ ...token, ...nobody, ...no, sourceNetwork, destinationNetwork, useDepositAddress },
        ...{ amount, referenceId: null, appId: null, appName: null },
        destinationAddress: recipient,
        refundAddress: accountFrom(`${databaseUrl} refunds ${made}`).address,
      })
    },
    deposit({ view: { swap, reference, receiver } }) {
      const { network, contract } = swap.source
      const chain = hand.chain(network)
      const payer = accountFrom(`${databaseUrl} payer ${reference}`)
      const units = swap.requestedUnits ?? 0n
      chain.mint(payer.address, null, chain.feePerMove)
      chain.mint(payer.address, contract, units)
      const bytes = signedBy(
        {
          network,
          account: payer.address,
          nonce: chain.nonce(payer.address),
          fee: chain.feePerMove,
          memo: swap.usesDepositAddress ? null : `${reference}`,
          moves: [{ from: payer.address, to: receiver, contract, units }],
        },
        payer,
      )
      chain.submit(bytes)
      return chain.mempool.at(-1)?.hash ?? ''
    },
    async watch(network) {
      await watchers.get(network)?.turn()
    },
    async runJobs() {
      for (let jobs = await takeJobs(pool); jobs.length > 0; jobs = await takeJobs(pool)) {
        for (const id of jobs) await pay(services, id)
      }
    },
    passTime(ms) {
      elapsedMs += ms
    },
    async stop() {
      await pool.end()
      await services.stop()
    },
  }
  for (const { name } of services.catalogue.networks) {
    if (onOldChains) break
    hand.chain(name).mine(10)
    await hand.watch(name)
  }
  return hand
}

/** The payouts whose jobs are due. They are taken off the list. */
async function takeJobs(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with due as (delete from graphile_worker._private_jobs where run_at <= now() returning payload)
     select payload->>'payoutId' as id from due where payload->>'payoutId' is not null`,
  )
  return rows.map(({ id }) => id)
}

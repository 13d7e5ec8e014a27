/**
 * A manually driven service whose database can be restored, over chains that cannot: a test makes a backup, continues,
 * restores it, and runs the operator's commands.
 */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { lookAtWallets } from '../../../server/src/flow/checks/history.ts'
import { stopSigning } from '../../../server/src/flow/journal/stop-signing.ts'
import { reconcile } from '../../../server/src/flow/reconciliation/reconcile.ts'
import { beat } from '../../../server/src/flow/run/counters.ts'
import type { Journal } from '../../../server/src/keys/journal/journal.ts'
import { addJob } from '../../../server/src/store/db/jobs.ts'
import { insertJournalRow, readJournalRow } from '../../../server/src/store/journal/journal-row.ts'
import { ledgerUnits } from '../../../server/src/store/ledger/balances.ts'
import type { DepositRow, PayoutRow } from '../../../server/src/store/swaps/swaps.ts'
import { type CreatedSwap, createSwap } from '../../../server/src/swaps/create-swap.ts'
import { admin } from './accounts.ts'
import { startBackedUp } from './backup.ts'
import { type Hand, startHand } from './manual-driver.ts'

export const [FROM, TO] = ['ALPHA', 'BETA'] as const
const BOTH = [FROM, TO]
export const FINAL = 6
export const STUCK_MS = 60_000
const ENV = { STUCK_AFTER_SECONDS: `${STUCK_MS / 1000}` }

export interface Restorable {
  /** The present database: a new one after each restore. */
  hand(): Hand
  /** Runs an operator command; returns its output. */
  run(...words: string[]): Promise<string>
  /** A swap of a coin to a named recipient with their own refund address. */
  coinSwap(recipient: string, useDepositAddress?: boolean): Promise<CreatedSwap>
  /** Pays a swap, with its reference or another memo; returns the bytes. */
  sendCoins(swap: CreatedSwap, units: bigint, memo?: string | null): string
  backup(): Promise<string>
  /** Another process over the restored database. The old process is gone. */
  goBackTo(backup: string, how?: { journal?: Journal; isAudited?: boolean }): Promise<void>
  /** The same with the journal that was written meanwhile: signing is stopped. */
  rollBackTo(backup: string, how?: { keys?: string }): Promise<void>
  /** The same, and the journal is lost: a new one, with a barrier. Signing is resumed. */
  rollBackWithout(backup: string): Promise<void>
  /** The operator replays the journal and resumes. Returns the output. */
  restore(...without: string[]): Promise<string>
  mineAndWatch(network: string, blocks: number): Promise<void>
  /** Runs everything that is due until it is final. */
  settle(): Promise<void>
  /** Rechecks held payouts now, which otherwise happens after a while. */
  askAgain(): Promise<void>
  /** The amount that the recipient of a swap got. */
  received(swap: CreatedSwap): bigint
  payoutOf(swap: CreatedSwap): Promise<PayoutRow>
  statusOf(swap: CreatedSwap): Promise<string>
  /** The transactions that the wallet on a network sent, from a block on. */
  sentSince(network: string, block: number): Promise<string[]>
  expectBooksEqualChains(): Promise<void>
  /** No account of customers, promises or unmatched deposits holds anything. */
  expectNothingOwed(): Promise<void>
  depositOf(swap: CreatedSwap): Promise<DepositRow>
  stop(): Promise<void>
}

export async function startRestorable(more: Record<string, string> = {}): Promise<Restorable> {
  const env = { ...ENV, ...more }
  const postgres = await startBackedUp()
  let { url } = postgres
  let hand = await startHand(url, env)
  const run = (...words: string[]) => admin(hand.services, ...words)

  async function mineAndWatch(network: string, blocks: number): Promise<void> {
    hand.chain(network).mine(blocks)
    await hand.watch(network)
  }
  async function settle(): Promise<void> {
    for (let rounds = 0; rounds < 2; rounds++) {
      for (const network of BOTH) await mineAndWatch(network, 2 * FINAL + 1)
      await hand.runJobs()
    }
  }
  async function goBackTo(
    backup: string,
    { journal, isAudited = true, keys }: { journal?: Journal; isAudited?: boolean; keys?: string } = {},
  ): Promise<void> {
    await hand.stop()
    url = await postgres.restore(backup)
    hand = await startHand(url, env, { onOldChains: true, ...(journal ? { journal } : {}), ...(keys ? { keys } : {}) })
    // A restore takes longer than the leases of the dead process last.
    const { database } = hand.services
    await database
      .updateTable('lease')
      .set({ expires_at: new Date(0) })
      .execute()
    if (isAudited) await lookAtWallets(hand.services)
  }
  async function askAgain(): Promise<void> {
    const { database } = hand.services
    const open = await database.selectFrom('payout').select('id').where('state', '=', 'open').execute()
    for (const { id } of open) await addJob(database, { task: 'pay', payload: { payoutId: id }, lane: 'test' })
    await hand.runJobs()
  }

  // As a service does at its start; the ledger opens with final balances.
  await lookAtWallets(hand.services)
  await reconcile(hand.services)
  await settle()
  await reconcile(hand.services)

  return {
    hand: () => hand,
    run,
    async coinSwap(recipient, useDepositAddress = false) {
      const { services } = hand
      await services.refresh()
      const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
      const no = { refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true }
      return createSwap(services, {
        ...{ ...nobody, ...no, sourceNetwork: FROM, destinationNetwork: TO, useDepositAddress },
        ...{ sourceToken: 'SIM', destinationToken: 'USDC' },
        ...{ amount: '1', referenceId: null, appId: null, appName: null },
        destinationAddress: accountFrom(recipient).address,
        refundAddress: accountFrom(`${recipient} refunds`).address,
      })
    },
    sendCoins({ view: { receiver, reference } }, units, memo = `${reference}`) {
      const chain = hand.chain(FROM)
      const payer = accountFrom('a payer')
      chain.mint(payer.address, null, chain.feePerMove + units)
      const moves = [{ from: payer.address, to: receiver, contract: null, units }]
      const { address: account } = payer
      const transfer = { network: FROM, account, nonce: chain.nonce(account), fee: chain.feePerMove }
      const bytes = signedBy({ ...transfer, memo, moves }, payer)
      chain.submit(bytes)
      return bytes
    },
    backup: () => postgres.backup(url),
    goBackTo,
    async rollBackTo(backup, { keys } = {}) {
      const { journal } = hand.services
      await goBackTo(backup, { journal, isAudited: false, ...(keys ? { keys } : {}) })
      const { services } = hand
      if (!(await readJournalRow(services.database)))
        await insertJournalRow(services.database, journal.id, randomUUID())
      await stopSigning(services, 'rolled_back').catch(() => undefined)
      await lookAtWallets(services)
    },
    async rollBackWithout(backup) {
      await goBackTo(backup, { isAudited: false })
      const { services } = hand
      if (!(await readJournalRow(services.database)))
        await insertJournalRow(services.database, randomUUID(), randomUUID())
      await run('restore', '--without-journal')
      await run('restore', '--resume')
      await beat(services, () => undefined)
      await lookAtWallets(services)
    },
    async restore(...without) {
      const named = without.length > 0 ? ['--without', without.join(',')] : []
      const printed = [await run('restore'), await run('restore', '--apply', '--watch', '20')]
      printed.push(await run('restore', '--resume', ...named))
      await beat(hand.services, () => undefined)
      await askAgain()
      return printed.join('\n')
    },
    mineAndWatch,
    settle,
    askAgain,
    received: ({ view: { swap } }) => hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract),
    payoutOf({ view }) {
      const rows = hand.services.database.selectFrom('payout').selectAll().where('swap_id', '=', view.swap.id)
      return rows.orderBy((eb) => eb('state', '=', 'abandoned')).executeTakeFirstOrThrow()
    },
    async statusOf({ view }) {
      const row = hand.services.database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
      return (await row.executeTakeFirstOrThrow()).status
    },
    async sentSince(network, block) {
      const chain = chainOf(hand.services.chains, network)
      const moved =
        (await chain.audit?.movements(chain.treasury, BigInt(block), BigInt(hand.chain(network).height))) ?? []
      return moved.filter(({ slot }) => slot !== null).map(({ txHash }) => txHash)
    },
    async expectBooksEqualChains() {
      for (const { network, treasury } of BOTH.map((name) => chainOf(hand.services.chains, name))) {
        for (const token of network.tokens) {
          const held = hand.chain(network.name).balance(treasury, token.contract)
          const booked = await ledgerUnits(hand.services.database, treasury, token)
          expect(booked, `${network.name} ${token.symbol}`).toBe(held)
        }
      }
    },
    async expectNothingOwed() {
      const rows = await hand.services.database
        .selectFrom('ledger_entry')
        .select((eb) => ['account', 'owner', 'network', 'token', eb.fn.sum<bigint>('units').as('units')])
        .where('account', 'in', ['customer', 'promised', 'unmatched'])
        .groupBy(['account', 'owner', 'network', 'token'])
        .execute()
      expect(rows.filter(({ units }) => BigInt(units) !== 0n)).toEqual([])
    },
    depositOf({ view }) {
      const { database } = hand.services
      const rows = database.selectFrom('deposit').selectAll().where('to_address', '=', view.receiver)
      return (
        view.swap.usesDepositAddress ? rows : rows.where('reference', '=', view.reference)
      ).executeTakeFirstOrThrow()
    },
    async stop() {
      await hand.stop()
      await postgres.stop()
    },
  }
}

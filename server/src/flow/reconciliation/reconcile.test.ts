/** Reconciliation acts on final facts of the chain, not on what a node or the scan does not know yet. */
import type { ChainAdapter, PostingReason, Token } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { lastFinding, unsettledUnits } from '../../store/ledger/ledger.ts'
import { listHaltDifferences, listHalts } from '../../store/limits/halts.ts'
import { reconcile } from './reconcile.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2
const FINAL = 6
/** More checks than it needs to be sure of a difference. */
const LOOKS = 3

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(async () => {
  await hand.stop()
})
afterAll(async () => {
  await database.stop()
})

const adapter = (network: string): ChainAdapter => chainOf(hand.services.chains, network)

function tokenOf(network: string, symbol: string): Token {
  const token = adapter(network).network.tokens.find((other) => other.symbol === symbol)
  if (!token) throw new Error('no such token')
  return token
}

async function look(): Promise<void> {
  for (let time = 0; time < LOOKS; time++) await reconcile(hand.services)
}

async function pass(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** A check, and enough blocks to make it final. */
async function lookFinally(network: string): Promise<void> {
  await reconcile(hand.services)
  await pass(network, FINAL)
  await reconcile(hand.services)
}

async function open(): Promise<void> {
  for (const network of [FROM, TO]) await lookFinally(network)
}

async function booked(reason: PostingReason): Promise<bigint[]> {
  const entries = hand.services.database.selectFrom('ledger_entry').select('units').where('account', '=', 'wallet')
  return (await entries.where('reason', '=', reason).execute()).map(({ units }) => units)
}

async function halts() {
  const rows = await listHalts(hand.services.database)
  return rows.map(({ network, account, causes }) => ({ network, account, causes: causes.map(({ hold }) => hold) }))
}

/** A swap that is deposited, confirmed and paid: its payout is mined in the next block of the destination. */
async function trade(): Promise<void> {
  hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, TIER)
  await hand.runJobs()
}

async function isBusy(network: string): Promise<boolean> {
  const slots = hand.services.database.selectFrom('slot').select('id').where('network', '=', network)
  return (await slots.where('state', '=', 'open').execute()).length > 0
}

/** Swaps at every block, so that a payout of the destination's wallet is always in flight, and checks at each block. */
async function keepBusy(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await pass(TO, 1)
    await trade()
    await reconcile(hand.services)
    expect(await isBusy(TO)).toBe(true)
  }
}

test('the ledger opens with final balances, without deposits that arrived meanwhile', async () => {
  const { treasury } = adapter(FROM)
  const usdc = tokenOf(FROM, 'USDC')
  const before = hand.chain(FROM).balance(treasury, usdc.contract)
  await look()
  expect(await booked('capital')).toEqual([])
  hand.deposit(await hand.swap(FROM, TO))
  await lookFinally(FROM)
  expect((await lastFinding(hand.services.database, treasury, usdc))?.opened).toBe(true)
  expect(await ledgerUnits(hand.services.database, treasury, usdc)).toBe(before + 50_000_000n)
  expect(await booked('capital')).toContain(before)
})

test('a theft of one unit is noticed on a wallet that is always busy', async () => {
  await open()
  const { treasury } = adapter(TO)
  await keepBusy(2 * FINAL)
  expect(await halts()).toEqual([])
  hand.chain(TO).mint(treasury, tokenOf(TO, 'USDC').contract, -1n)
  await keepBusy(FINAL)
  expect(await halts()).toEqual([])
  await keepBusy(2)
  expect(await halts()).toMatchObject([
    { network: TO, account: treasury, causes: [{ code: 'shortfall', symbol: 'USDC', units: '1' }] },
  ])
})

test('so is a theft of one unit of the fee token', async () => {
  await open()
  const { treasury } = adapter(TO)
  await keepBusy(FINAL)
  hand.chain(TO).mint(treasury, null, -1n)
  await keepBusy(FINAL + 2)
  expect(await halts()).toMatchObject([
    { network: TO, account: treasury, causes: [{ code: 'shortfall', symbol: 'SIM', units: '1' }] },
  ])
})

test('a reorg that moves payouts to other blocks is not a theft', async () => {
  await open()
  for (let round = 0; round < FINAL; round++) {
    await keepBusy(2)
    hand.chain(TO).reorg(2, 'returned')
    await reconcile(hand.services)
    await hand.watch(TO)
    await reconcile(hand.services)
  }
  await keepBusy(FINAL)
  expect(await halts()).toEqual([])
  expect(await booked('unannounced')).toEqual([])
})

test('an answer from an abandoned branch is not accepted', async () => {
  await open()
  await trade()
  await pass(TO, 1)
  await reconcile(hand.services)
  const told = () =>
    hand.services.database.selectFrom('balance_snapshot').select('verified').where('network', '=', TO).execute()
  expect((await told()).filter(({ verified }) => verified).length).toBeGreaterThan(0)
  hand.chain(TO).reorg(3, 'returned')
  await hand.watch(TO)
  expect(await told()).toEqual([])
})

test('a payout in a final block that is not settled yet is waited for', async () => {
  await open()
  await trade()
  // The scan continues without noticing that the payout was mined.
  const { status } = adapter(TO)
  Object.assign(adapter(TO), { status: async () => ({ state: 'pending' }) })
  for (let block = 0; block < 3; block++) {
    await pass(TO, 1)
    await reconcile(hand.services)
  }
  await pass(TO, FINAL)
  Object.assign(adapter(TO), { status })
  await look()
  expect(await halts()).toEqual([])
  await pass(TO, 1)
  await look()
  await pass(TO, FINAL)
  await look()
  expect(await halts()).toEqual([])
  expect(await booked('unannounced')).toEqual([])
})

/** Answers of a node on a branch that the scan never followed, with a higher balance for every account. */
async function lookAstray(network: string, more: bigint, looks = 2, between?: () => Promise<void>): Promise<void> {
  const chain = adapter(network)
  const { balances } = chain
  Object.assign(chain, {
    balances: async (...asked: Parameters<typeof balances>) => {
      const { block, units } = await balances(...asked)
      return { block: block && { ...block, hash: `not ${block.hash}` }, units: units.map((held) => held + more) }
    },
  })
  for (let look = 0; look < looks; look++) {
    hand.chain(network).mine(1)
    await between?.()
    await reconcile(hand.services)
  }
  Object.assign(chain, { balances })
}

test('two answers from a branch that the scan never followed prove nothing', async () => {
  await open()
  await keepBusy(1)
  await lookAstray(TO, -1n, 2, trade)
  await keepBusy(FINAL + 2)
  expect(await halts()).toEqual([])
})

test('nor do they prove a surplus, also at a deposit address, however old they are', async () => {
  await open()
  await hand.swap(FROM, TO, { useDepositAddress: true })
  await lookAstray(FROM, 5n)
  await pass(FROM, 3 * FINAL)
  for (let time = 0; time < 4; time++) await lookFinally(FROM)
  // Nor does one such check after one with the opposite result.
  for (const more of [-5n, 5n]) {
    await lookAstray(FROM, more, 1)
    hand.chain(FROM).mine(FINAL)
  }
  await pass(FROM, 3 * FINAL)
  for (let time = 0; time < 4; time++) await lookFinally(FROM)
  expect(await booked('unannounced')).toEqual([])
  expect(await halts()).toEqual([])
})

test('a deposit that the scan has not reached yet is not booked as an unexplained credit', async () => {
  await open()
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  await look()
  await hand.watch(FROM)
  await look()
  await pass(FROM, 2 * FINAL)
  await look()
  expect(await booked('deposit')).toHaveLength(1)
  expect(await booked('unannounced')).toEqual([])
  expect(await halts()).toEqual([])
})

test('a node that does not know a deposit yet does not halt the wallet', async () => {
  await open()
  hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, TIER)
  hand.node(FROM).faults.behind = TIER
  await look()
  expect(await halts()).toEqual([])
})

test('one wrong answer of a node halts nothing, now or when its block is final', async () => {
  await open()
  const chain = adapter(FROM)
  const { balances } = chain
  Object.assign(chain, {
    balances: async (...asked: Parameters<typeof balances>) => {
      const { block, units } = await balances(...asked)
      return { block, units: units.map((held) => held - 1n) }
    },
  })
  await reconcile(hand.services)
  Object.assign(chain, { balances })
  for (let round = 0; round < 2 * FINAL; round++) {
    await pass(FROM, 1)
    await reconcile(hand.services)
  }
  expect(await halts()).toEqual([])
})

test('a node that has been stuck for long does not halt the wallet', async () => {
  await open()
  hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, 3 * FINAL)
  const { faults } = hand.node(FROM)
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      faults.behind = call === 'holdings' ? 4 * FINAL : 0
    },
  }
  await look()
  await pass(FROM, FINAL)
  await look()
  expect(await halts()).toEqual([])
})

test('coins that no scan shows are booked once', async () => {
  await open()
  const { treasury } = adapter(FROM)
  hand.chain(FROM).mint(treasury, null, 77n)
  await lookFinally(FROM)
  expect(await booked('unannounced')).toEqual([])
  for (let time = 0; time < 3; time++) await lookFinally(FROM)
  expect(await booked('unannounced')).toEqual([77n])
})

test('a balance ahead of another node’s scan is no surplus', async () => {
  await open()
  hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mine(TIER)
  const { faults } = hand.node(FROM)
  // Balances come from an up-to-date node, blocks from a lagging one.
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      faults.behind = call === 'holdings' ? 0 : TIER
    },
  }
  await look()
  await pass(FROM, 2 * FINAL)
  await look()
  hand.node(FROM).hooks = {}
  faults.behind = 0
  await hand.watch(FROM)
  await look()
  expect(await booked('unannounced')).toEqual([])
  expect(await halts()).toEqual([])
})

test('a balance behind another node’s scan is no loss', async () => {
  await open()
  hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, TIER)
  const { faults } = hand.node(FROM)
  hand.node(FROM).hooks = {
    beforeCall: (call) => {
      faults.behind = call === 'holdings' ? TIER : 0
    },
  }
  await look()
  await pass(FROM, FINAL)
  await look()
  hand.node(FROM).hooks = {}
  faults.behind = 0
  expect(await halts()).toEqual([])
})

test('a shortfall beyond everything in flight halts the wallet at the second check', async () => {
  await open()
  const { treasury, network } = adapter(TO)
  await trade()
  await look()
  // First mined but not confirmed, then confirmed but not final.
  hand.chain(TO).mine()
  await look()
  hand.chain(TO).mine(TIER - 1)
  await hand.watch(TO)
  await look()
  expect(await halts()).toEqual([])
  // In the fee token, at most the signed fees may be on their way.
  const fees = await unsettledUnits(hand.services.database, network.nativeToken, treasury, 0n)
  expect(fees).toBe(hand.chain(TO).feePerMove)
  hand.chain(TO).mint(treasury, tokenOf(TO, 'USDC').contract, -1n)
  await reconcile(hand.services)
  expect(await halts()).toEqual([])
  await reconcile(hand.services)
  expect(await halts()).toMatchObject([{ network: TO, account: treasury }])
})

test('a final deposit explains no shortfall', async () => {
  await open()
  const { treasury } = adapter(FROM)
  hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, TIER)
  await pass(FROM, FINAL)
  hand.chain(FROM).mint(treasury, tokenOf(FROM, 'USDC').contract, -1n)
  await look()
  expect(await halts()).toMatchObject([{ network: FROM, account: treasury }])
})

test('the shortfall is stored with the halt, and grows with it', async () => {
  await open()
  const { treasury } = adapter(FROM)
  const known = async () => (await listHaltDifferences(hand.services.database)).map(({ units }) => units)
  hand.chain(FROM).mint(treasury, null, -5n)
  await look()
  expect(await known()).toEqual([5n])
  hand.chain(FROM).mint(treasury, null, -2n)
  await look()
  expect(await known()).toEqual([7n])
})

test('the cost of receiving halts no wallet, however often it receives', async () => {
  await open()
  const chain = adapter(FROM)
  Object.assign(chain, { allowances: { rentUnitsPerDay: 3n, setupUnits: 0n, receiptUnits: 2n } })
  const received = 5
  for (let deposit = 0; deposit < received; deposit++) hand.deposit(await hand.swap(FROM, TO))
  hand.chain(FROM).mint(chain.treasury, null, BigInt(-3 - 2 * received))
  await pass(FROM, TIER)
  await lookFinally(FROM)
  await lookFinally(FROM)
  expect(await halts()).toEqual([])
  expect(await booked('network fee')).toEqual([BigInt(-3 - 2 * received)])
  // The cost of receiving was already allowed once: the same loss again is a theft.
  hand.chain(FROM).mint(chain.treasury, null, BigInt(-3 - 2 * received))
  await look()
  expect(await halts()).toMatchObject([{ network: FROM, account: chain.treasury }])
})

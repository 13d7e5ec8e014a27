/** The command line shows tokens and dollars, and the audit log names both with the recipient. */
import { tokenKey } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { savePrices } from '../../store/market/asset-prices.ts'
import { listAudit } from '../../store/operators/audit.ts'
import { runCommand } from './run.ts'
import { storedAmounts } from './stored-amounts.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const DOLLAR = 10n ** 18n
let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const db = () => hand.services.database
const usdc = () => {
  const token = hand.services.catalogue.network(TO).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no USDC')
  return token
}

async function run(...words: string[]): Promise<string> {
  const lines: string[] = []
  const { worth, written: amount } = await storedAmounts(db(), hand.services.now())
  const desk = { database: db(), now: hand.services.now, actor: 'ada', worth, amount }
  await runCommand({ ...desk, print: (line) => lines.push(line) }, words)
  return lines.join('\n')
}

test('an amount has its symbol, and dollars if the service stored a price lately', async () => {
  const token = usdc()
  const now = hand.services.now()
  const name = token.group ?? token.symbol
  const shown = async () => {
    const { worth, written } = await storedAmounts(db(), now)
    const at = [TO, tokenKey(token), 1_497_915_000n] as const
    return [written(...at), worth(...at)]
  }
  expect(await shown()).toEqual(['1497.915 USDC', null])
  await savePrices(db(), [{ name, usd: 2n * DOLLAR, at: now }])
  expect(await shown()).toEqual(['1497.915 USDC ($2,995.83)', 2995.83])
  // An older price does not replace a newer one.
  await savePrices(db(), [{ name, usd: DOLLAR, at: new Date(now.getTime() - 1_000) }])
  expect(await shown()).toEqual(['1497.915 USDC ($2,995.83)', 2995.83])
  await db()
    .updateTable('asset_price')
    .set({ at: new Date(now.getTime() - 3_600_000) })
    .execute()
  expect(await shown()).toEqual(['1497.915 USDC', null])
  const { written } = await storedAmounts(db(), now)
  expect(written(TO, 'a delisted contract', 7n)).toBe('7 a delisted contract')
})

test('lists of payouts and the audit of an answer name token, dollars and recipient', async () => {
  const name = usdc().group ?? usdc().symbol
  await savePrices(db(), [{ name, usd: DOLLAR, at: hand.services.now() }])
  await run('limit', 'set', '--kind', 'approval_above', '--scope', 'service', '--usd', '1')
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  await hand.runJobs()
  const { id, to_address: to } = await db().selectFrom('payout').selectAll().executeTakeFirstOrThrow()
  expect(await run('payout', 'held')).toMatch(/ \d+\.\d+ USDC \(\$\d+\.\d\d\) /)
  await run('payout', 'reject', ...(await holdWords(db(), id)))
  const entry = (await listAudit(db(), 10)).find(({ action }) => action === 'payout rejected')
  expect(entry?.data).toMatchObject({ id, kind: 'output', network: TO, to })
  expect(entry?.data.amount).toMatch(/^\d+\.\d+ USDC \(\$\d+\.\d\d\)$/)
})

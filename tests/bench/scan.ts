/**
 * Backfill: an hour and half a day of a chain with a block every 0.25 s and round trips of 50 ms. Compares the service
 * with a plain script that requests the same logs and ignores them. The service has just started: its other startup
 * work is half of the time for the hour, and negligible for the day.
 */
import { formatCursor, parseCursor } from '../../chains/evm/src/scanning/cursor.ts'
import { sleep } from '../../server/src/flow/lib/sleep.ts'
import { openDatabase } from '../../server/src/store/db/database.ts'
import { readPosition, savePosition } from '../../server/src/store/watch/cursors.ts'
import { setStage } from './stage.ts'

const NETWORK = 'ARBITRUM_MAINNET'
const USDC = '0xaf88d065e77c8cc2239327c5edb3a432268e5831'
const PAYER = '0x00000000000000000000000000000000000a11ce'
const HOUR_BLOCKS = 14_400
const HOURS = [1, 12]
const ROUND_TRIP_MS = 50
const RANGE = 2_000
/** Blocks between two deposits, per period. */
const EVERY = Number(process.env.EVERY ?? 400)
const forever = new AbortController().signal

export async function scan(): Promise<void> {
  for (const hours of HOURS) await caughtUp(hours)
}

async function caughtUp(hours: number): Promise<void> {
  let treasury = PAYER
  const stage = await setStage({
    only: [NETWORK],
    plan: {
      blockMs: 250,
      height: 1_000_000,
      deposits: { every: EVERY, token: USDC, from: PAYER, to: () => treasury, units: 5_000_000n },
    },
    delayMs: ROUND_TRIP_MS,
  })
  const [node] = stage.networks
  if (!node) throw new Error(`there is no ${NETWORK}`)
  const database = openDatabase(stage.databaseUrl)
  try {
    // Runs once, so that the database exists and the treasury is known.
    const first = await stage.start('watch')
    treasury = first.services.chains.get(NETWORK)?.treasury ?? ''
    await first.stop()
    const from = node.chain.height() - hours * HOUR_BLOCKS
    const mark = { number: BigInt(from), hash: node.chain.hashOf(from) }
    const cursor = formatCursor({ number: mark.number, marks: [mark] })
    await savePosition(database, NETWORK, { cursor, recheckFrom: null }, mark, new Date())
    const bareMs = await timed(() => bare(node.provider.url, from, node.chain.height(), treasury))
    const before = node.provider.calls.length
    const service = await stage.start('watch')
    const oursMs = await timed(async () => {
      const head = BigInt(node.chain.height())
      for (;;) {
        const position = await readPosition(database, NETWORK)
        if (position && parseCursor(position.cursor).number >= head) return
        await sleep(5, forever)
      }
    })
    const seen = await database
      .selectFrom('deposit')
      .select((eb) => eb.fn.countAll<string>().as('n'))
      .executeTakeFirst()
    await service.stop()
    console.log(`  hours, blocks, deposits in them    ${hours}, ${hours * HOUR_BLOCKS}, ${seen?.n}`)
    console.log(`  plain script, logs alone           ${bareMs.toFixed(0)} ms`)
    console.log(
      `  caught up, matched and stored      ${oursMs.toFixed(0)} ms in ${node.provider.calls.length - before} calls`,
    )
    console.log(`  ratio                              ${(oursMs / bareMs).toFixed(2)} (wanted: at most 2)`)
    console.log(`  deposits a second                  ${((Number(seen?.n) * 1_000) / oursMs).toFixed(0)}`)
  } finally {
    await database.destroy()
    await stage.stop()
  }
}

async function bare(url: string, from: number, to: number, receiver: string): Promise<void> {
  for (let start = from + 1; start <= to; start += RANGE) {
    const [fromBlock, toBlock] = [start, Math.min(to, start + RANGE - 1)].map((number) => `0x${number.toString(16)}`)
    const topics = [null, null, `0x${receiver.slice(2).toLowerCase().padStart(64, '0')}`]
    const params = [{ fromBlock, toBlock, address: [USDC], topics }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params })
    await (await fetch(url, { method: 'POST', body })).json()
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

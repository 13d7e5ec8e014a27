/**
 * The scan: deposits to the treasury and to deposit addresses since the cursor. Everything that a gateway shows is
 * final, so there is no reorg to report. But gateways lag, so the last minutes are read again and the cursor lists what
 * was reported.
 */
import type { Cursor, Scan, Watchlist } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { pocketsOf } from '../paying/balance.ts'
import type { Remembered } from './address-cache.ts'
import { lookAround } from './addresses.ts'
import { blockAt } from './block-time.ts'
import { arrivalOf } from './credits.ts'
import { formatCursor, type Progress, parseCursor } from './cursor.ts'
import { SPOT } from './ledger-row.ts'
import { placeKey, type Received } from './received.ts'
import { sightingsOf } from './sightings.ts'

/** How far back rows are read again: a gateway may withhold a row for this long. */
const AGAIN_MS = 300_000

export function scan(chain: HyperliquidChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const time = await node.ask(networkTime())
    if (cursor === null) {
      // Earlier rows were before this start, so they count as stored.
      chain.addressCache.storeAll()
      return standing({ since: time, time, told: [] }, time, [])
    }
    const before = parseCursor(cursor)
    chain.addressCache.store(before.told)
    const told = new Set(before.told)
    const isOpen = (received: Received) => !told.has(placeKey(received))
    const again = Math.max(before.since + 1, before.time - AGAIN_MS)
    const found = [
      ...(await cameToTreasury(chain, node, again)).filter(isOpen),
      ...(await lookAround(chain, node, ours)).filter((one) => isOpen(one) && isDue(one, again)),
    ]
    const sightings = await sightingsOf(chain, node, found, ours)
    // A lagging gateway does not move the time back.
    const after = Math.max(time, before.time)
    const recent = before.told.filter((key) => Number(key.split('/')[0]) > after - AGAIN_MS)
    const next = { since: before.since, time: after, told: [...recent, ...found.map(placeKey)] }
    return standing(next, time, sightings)
  })
}

/** Whether a cached deposit is reported: a stored one only if it is after this cursor, an unstored one always. */
function isDue({ isStored, row }: Remembered, again: number): boolean {
  return !isStored || row.time >= again
}

/** The treasury's ledger is read if its balance changed, and periodically. */
const READ_EVERY_MS = 60_000

async function cameToTreasury(chain: HyperliquidChain, node: Node, again: number): Promise<Received[]> {
  const { glance, ledgerCache, now } = chain
  const { signature } = await pocketsOf(chain, node, chain.treasury)
  const isStill = glance.signature === signature && now() - glance.readAt < READ_EVERY_MS && ledgerCache.covers(again)
  const rows = isStill ? ledgerCache.known().filter(({ time }) => time >= again) : await ledgerCache.since(node, again)
  if (!isStill) Object.assign(glance, { signature, readAt: now() })
  return rows.flatMap((row) => {
    const arrival = arrivalOf(chain, row, chain.treasury)
    // Credits to the perpetuals balance are not counted as the treasury's.
    return arrival?.dex === SPOT ? [{ ...arrival, to: chain.treasury }] : []
  })
}

function standing(progress: Progress, time: number, sightings: Scan['sightings']): Scan {
  const head = blockAt(time)
  const scannedTo = blockAt(progress.time).number
  return { sightings, next: formatCursor(progress), head, scannedTo, reorgFrom: null }
}

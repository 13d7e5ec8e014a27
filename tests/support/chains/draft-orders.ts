/** Worker steps shared by the families' tests: sign an order without sending it, read its status, and scan. */
import type {
  Address,
  ChainAdapter,
  Order,
  PreparedTransfer,
  Scan,
  SignedTransfer,
  Slot,
  Token,
  TransferStatus,
} from '@causeway/core'
import { staticWatchlist } from './watchlist.ts'

export interface Drawn {
  order: Order
  draft: PreparedTransfer
  slot: Slot
  signed: SignedTransfer
}

export function payment(account: Address, ...transfers: [to: Address, token: Token, units: bigint][]): Order {
  return {
    kind: 'transfers',
    account,
    transfers: transfers.map(([to, token, units]) => ({ to, amount: { token, units } })),
  }
}

/** Prepares, allocates a slot and signs, as a worker does, without sending. */
export async function draw(adapter: ChainAdapter, order: Order, taken: readonly Slot[] = []): Promise<Drawn> {
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, taken)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

/** The newest slot of each treasury, as the database would know it. */
const newest = new WeakMap<ChainAdapter, Slot>()

/** The same in the slot after the last one. */
export async function drawNext(adapter: ChainAdapter, order: Order): Promise<Drawn> {
  const taken = newest.get(adapter)
  const drawn = await draw(adapter, order, taken ? [taken] : [])
  newest.set(adapter, drawn.slot)
  return drawn
}

/** The same order in the same slot, with a fee that replaces the first. */
export async function again(
  adapter: ChainAdapter,
  { order, slot, signed }: Pick<Drawn, 'order' | 'slot' | 'signed'>,
): Promise<Drawn> {
  const draft = await adapter.prepare(order, signed)
  return { order, draft, slot, signed: await adapter.sign(order, slot, draft) }
}

/** `before`: other transactions that we signed. */
export function statusOf(
  adapter: ChainAdapter,
  { signed, slot }: Partial<Drawn> & Pick<Drawn, 'signed' | 'slot'>,
  before: readonly Pick<Drawn, 'signed'>[] = [],
): Promise<TransferStatus> {
  return adapter.status(
    { hash: signed.hash, slot, account: adapter.treasury },
    async (hash) => before.find((one) => one.signed.hash === hash)?.signed ?? null,
  )
}

/** Scans until the head: returns all sightings, and the lowest block that a scan reported as replaced. */
export async function drain(adapter: ChainAdapter, cursor: string | null, ...alsoOurs: Address[]): Promise<Scan> {
  const ours = staticWatchlist(adapter.treasury, ...alsoOurs)
  const sightings: Scan['sightings'] = []
  for (let next = cursor, reorgFrom: bigint | null = null; ; ) {
    const scan = await adapter.scan(next, ours)
    sightings.push(...scan.sightings)
    reorgFrom ??= scan.reorgFrom
    if (scan.scannedTo >= scan.head.number) return { ...scan, sightings, reorgFrom }
    next = scan.next
  }
}

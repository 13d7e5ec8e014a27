/**
 * The signer's memory: an append-only file of the orders that it signed for, a line each, on disk before the signature
 * leaves. From it come the fence of each slot (one order a slot, for ever, or until what was signed can land no more), the outflow of the last hour and day, and which
 * approvals were used.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { MaxSigningCost, Order, Slot } from '@causeway/core'
import { z } from 'zod'
import { writeOrder } from '../backends/protocol.ts'
import { lockFile } from '../journal/lock.ts'
import { openWriter, replay } from './journal-file.ts'
import { type Outflow, totalsOf } from './policy.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const Place = { network: z.string(), account: z.string(), slot: z.array(z.string()) }
const Units = z.string().regex(/^\d+$/)
const Line = z.discriminatedUnion('did', [
  z.object({
    did: z.literal('signed'),
    at: z.iso.datetime(),
    ...Place,
    /** The order's fingerprint: binds those parts of the slot that were free. */
    order: z.string(),
    /** Base units by token; empty where the same order was counted before. */
    outflow: z.record(z.string(), Units),
    isNew: z.boolean(),
    /** By how much it may cost more than what was signed in the slot before. */
    fee: Units.default('0'),
    /** What was told of each part, as the family words it. */
    facts: z.array(z.string()).optional(),
    approvals: z.array(z.string()).optional(),
    /** The signer made the digest itself, so that what was signed is what the slot says. Not told in lines of earlier releases. */
    proven: z.boolean().default(false),
  }),
  z.object({ did: z.literal('released'), at: z.iso.datetime(), ...Place }),
  z.object({ did: z.literal('expired'), at: z.iso.datetime(), ...Place }),
])
type Line = z.infer<typeof Line>

/** `changed`: something else was told of a part of the slot when it was signed for. */
type Standing = 'new' | 'same' | 'other' | 'changed'

/** What is to be signed, as the signer itself found it out. */
export interface Signing {
  network: string
  order: Order
  slot: Slot
  maxCost: MaxSigningCost
  /** Each is good for one slot. */
  approvals: readonly string[]
  /** Whether the digest is known to be that of the order in its slot. */
  isProven: boolean
}

export interface Journal {
  /** Whether the slot, or a part of it, was signed for before, and for which order. */
  standing(signing: Signing): Standing
  /** By how much this may cost more than what was signed in its slot before. */
  furtherFee(signing: Signing): bigint
  /** An approval that was used for another slot; null where there is none. */
  usedApproval(signing: Signing): string | null
  outflow(now: Date): Outflow
  /** Binds the slot to the order. On disk when it returns; where that fails, nothing more is signed. */
  record(at: Date, signing: Signing): void
  /** Forgets a slot whose signature was never used: for a person who has proof of it. False where nothing was bound. */
  release(at: Date, network: string, account: string, slot: Slot): boolean
  /**
   * Parts of this slot that are bound to another order, each with every slot that it was signed in. Those that something unproven
   * was signed in are left out: of them nobody knows until when it is good.
   */
  held(signing: Signing): { part: string; slots: readonly Slot[] }[]
  /** Forgets parts of slots of which nothing can land any more. Approvals that were used for them stay used. */
  expire(at: Date, network: string, account: string, parts: readonly string[]): void
  close(): void
}

export async function openJournal(file: string): Promise<Journal> {
  const unlock = lockFile(`${file}.lock`)
  try {
    return await readJournal(file, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

async function readJournal(file: string, unlock: () => void): Promise<Journal> {
  const memory = openMemory()
  const isFresh = !existsSync(file)
  const size = await replay(file, isFresh, (text) => {
    const { data } = Line.safeParse(text)
    if (data) memory.apply(data)
    return data !== undefined
  })
  const writer = openWriter(file, size, isFresh)
  const write = (line: Line): void => {
    writer.append(`${JSON.stringify(line)}\n`)
    memory.apply(line)
  }
  return {
    standing: memory.standing,
    furtherFee: memory.furtherFee,
    usedApproval: memory.usedApproval,
    outflow: memory.outflow,
    record(at, signing) {
      const { network, order, slot, maxCost, approvals, isProven } = signing
      const bound = memory.bound(network, order.account, slot)
      const isNew = bound.every((fence) => fence === undefined)
      const fee = memory.furtherFee(signing)
      const isBound = (fence: Fence | undefined) => fence && (fence.fact !== undefined || !maxCost.facts)
      const isTold = (fence: Fence | undefined) => fence && signedIn(fence.slots, slot)?.isProven === isProven
      const isKnown = bound.every(isBound) && bound.every(isTold) && fee === 0n
      if (isKnown && approvals.every((approval) => memory.isUsed(approval))) return
      const totals = isNew ? [...totalsOf(order)].map(([token, units]) => [token, units.toString()]) : []
      write({
        did: 'signed',
        at: at.toISOString(),
        network,
        account: order.account,
        slot: [...slot],
        order: fingerprint(order),
        outflow: Object.fromEntries(totals),
        isNew,
        fee: fee.toString(),
        ...(maxCost.facts ? { facts: [...maxCost.facts] } : {}),
        ...(approvals.length > 0 ? { approvals: [...approvals] } : {}),
        proven: isProven,
      })
    },
    release(at, network, account, slot) {
      if (memory.bound(network, account, slot).every((fence) => fence === undefined)) return false
      write({ did: 'released', at: at.toISOString(), network, account, slot: [...slot] })
      return true
    },
    held: memory.held,
    expire(at, network, account, parts) {
      write({ did: 'expired', at: at.toISOString(), network, account, slot: [...parts] })
    },
    close() {
      writer.close()
      unlock()
    },
  }
}

interface Fence {
  order: string
  fact: string | undefined
  /** The dearest that was signed. */
  fee: bigint
  /** All that it was signed in, by their parts. */
  slots: readonly SignedIn[]
}

interface SignedIn {
  slot: Slot
  isProven: boolean
}

/** What the lines come to. */
function openMemory() {
  const fences = new Map<string, Fence>()
  const approvals = new Map<string, readonly string[]>()
  let recent: { at: number; network: string; outflow: Record<string, string>; isNew: boolean; fee: bigint }[] = []

  const keysOf = (network: string, account: string, slot: Slot) => slot.map((part) => partKey(network, account, part))
  const bound = (network: string, account: string, slot: Slot) =>
    keysOf(network, account, slot).map((part) => fences.get(part))
  const dearest = (found: readonly (Fence | undefined)[]) =>
    found.reduce((most, fence) => (fence && fence.fee > most ? fence.fee : most), 0n)

  return {
    bound,
    isUsed: (approval: string) => approvals.has(approval),
    apply(line: Line): void {
      const parts = keysOf(line.network, line.account, line.slot)
      if (line.did !== 'signed') for (const part of parts) fences.delete(part)
      if (line.did === 'expired') return
      if (line.did === 'released') {
        for (const [approval, used] of approvals) {
          if (used.some((part) => parts.includes(part))) approvals.delete(approval)
        }
        return
      }
      const fee = dearest(parts.map((part) => fences.get(part))) + BigInt(line.fee)
      for (const [position, part] of parts.entries()) {
        const { order = line.order, fact = line.facts?.[position], slots = [] } = fences.get(part) ?? {}
        const before = signedIn(slots, line.slot)
        const here = { slot: line.slot, isProven: line.proven && before?.isProven !== false }
        fences.set(part, { order, fact, fee, slots: [...slots.filter((one) => one !== before), here] })
      }
      for (const approval of line.approvals ?? []) if (!approvals.has(approval)) approvals.set(approval, parts)
      const { network, outflow, isNew } = line
      recent.push({ at: Date.parse(line.at), network, outflow, isNew, fee: BigInt(line.fee) })
    },
    standing({ network, order, slot, maxCost }: Signing): Standing {
      const found = bound(network, order.account, slot)
      const isChanged = found.some((fence, position) => {
        const told = maxCost.facts?.[position]
        return fence?.fact !== undefined && told !== undefined && fence.fact !== told
      })
      if (isChanged) return 'changed'
      const fenced = found.filter((fence) => fence !== undefined)
      if (fenced.length === 0) return 'new'
      return fenced.every((fence) => fence.order === fingerprint(order)) ? 'same' : 'other'
    },
    held({ network, order, slot }: Signing) {
      const wanted = fingerprint(order)
      return bound(network, order.account, slot).flatMap((fence, position) => {
        if (!fence || fence.order === wanted || !fence.slots.every(({ isProven }) => isProven)) return []
        return [{ part: slot[position] ?? '', slots: fence.slots.map((one) => one.slot) }]
      })
    },
    furtherFee({ network, order, slot, maxCost }: Signing): bigint {
      const before = dearest(bound(network, order.account, slot))
      return maxCost.feeUnits > before ? maxCost.feeUnits - before : 0n
    },
    usedApproval({ network, order, slot, approvals: shown }: Signing): string | null {
      const parts = keysOf(network, order.account, slot)
      const isElsewhere = (approval: string) => approvals.get(approval)?.some((part) => parts.includes(part)) === false
      return shown.find(isElsewhere) ?? null
    },
    outflow(now: Date): Outflow {
      // What is dated ahead of the clock counts too.
      recent = recent.filter(({ at }) => at > now.getTime() - DAY_MS)
      const within = (network: string, span: 'hour' | 'day') =>
        recent.filter((one) => one.network === network && (span === 'day' || one.at > now.getTime() - HOUR_MS))
      return {
        orders: (network) => within(network, 'hour').filter(({ isNew }) => isNew).length,
        units: (network, token, span) =>
          within(network, span).reduce((sum, { outflow }) => sum + BigInt(outflow[token] ?? 0), 0n),
        fees: (network) => within(network, 'hour').reduce((sum, { fee }) => sum + fee, 0n),
      }
    },
  }
}

/** Everything that makes two orders different payments; fees and approvals are no part of it. */
function fingerprint(order: Order): string {
  const bare: Order =
    order.kind === 'transfers'
      ? { ...order, transfers: order.transfers.map(({ to, amount }) => ({ to, amount })) }
      : order
  return createHash('sha256')
    .update(JSON.stringify(writeOrder(bare)))
    .digest('base64url')
}

function signedIn(slots: readonly SignedIn[], slot: Slot): SignedIn | undefined {
  return slots.find((one) => one.slot.join() === slot.join())
}

function partKey(network: string, account: string, part: string): string {
  return JSON.stringify([network, account, part])
}

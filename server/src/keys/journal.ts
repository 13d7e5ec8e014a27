/**
 * The signer's memory: an append-only file of the orders that it signed for, a line each, on disk before the signature
 * leaves. From it come the fence of each slot (one order a slot, for ever) and the outflow of the last hour.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import type { Order, Slot } from '@causeway/core'
import { z } from 'zod'
import { ConfigError } from '../config.ts'
import { lockFile } from './lock.ts'
import { type Outflow, totalsOf } from './policy.ts'
import { writeOrder } from './protocol.ts'

const HOUR_MS = 3_600_000

const Place = { network: z.string(), account: z.string(), slot: z.array(z.string()) }
const Line = z.discriminatedUnion('did', [
  z.object({
    did: z.literal('signed'),
    at: z.iso.datetime(),
    ...Place,
    /** The order's fingerprint. */
    order: z.string(),
    /** Base units by token; empty where the same order was counted before. */
    outflow: z.record(z.string(), z.string().regex(/^\d+$/)),
    isNew: z.boolean(),
  }),
  z.object({ did: z.literal('released'), at: z.iso.datetime(), ...Place }),
])
type Line = z.infer<typeof Line>

type Standing = 'new' | 'same' | 'other'

export interface Journal {
  /** Whether the slot, or a part of it, was signed for before, and for which order. */
  standing(network: string, order: Order, slot: Slot): Standing
  outflow(now: Date): Outflow
  /** Binds the slot to the order. On disk when it returns; where that fails, nothing more is signed. */
  record(at: Date, network: string, order: Order, slot: Slot): void
  /** Forgets a slot whose signature was never used: for a person who has proof of it. False where nothing was bound. */
  release(at: Date, network: string, account: string, slot: Slot): boolean
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
  const fences = new Map<string, string>()
  let recent: { at: number; network: string; outflow: Record<string, string> }[] = []

  const apply = (line: Line): void => {
    const parts = line.slot.map((part) => partKey(line.network, line.account, part))
    for (const part of parts) {
      if (line.did === 'released') fences.delete(part)
      else fences.set(part, line.order)
    }
    if (line.did === 'signed' && line.isNew)
      recent.push({ at: Date.parse(line.at), network: line.network, outflow: line.outflow })
  }
  const fingerprints = (network: string, account: string, slot: Slot) =>
    slot.map((part) => fences.get(partKey(network, account, part)))

  const isFresh = !existsSync(file)
  const size = await replay(file, isFresh, apply)
  const writer = openWriter(file, size, isFresh)
  const write = (line: Line): void => {
    writer.append(`${JSON.stringify(line)}\n`)
    apply(line)
  }

  const standing = (network: string, order: Order, slot: Slot): Standing => {
    const bound = fingerprints(network, order.account, slot).filter((print) => print !== undefined)
    if (bound.length === 0) return 'new'
    return bound.every((print) => print === fingerprint(order)) ? 'same' : 'other'
  }
  return {
    standing,
    outflow(now) {
      // What is dated ahead of the clock counts too.
      recent = recent.filter(({ at }) => at > now.getTime() - HOUR_MS)
      return {
        orders: (network) => recent.filter((entry) => entry.network === network).length,
        units: (network, token) =>
          recent
            .filter((entry) => entry.network === network)
            .reduce((sum, { outflow }) => sum + BigInt(outflow[token] ?? 0), 0n),
      }
    },
    record(at, network, order, slot) {
      const { account } = order
      const isNew = standing(network, order, slot) === 'new'
      if (!isNew && fingerprints(network, account, slot).every((print) => print !== undefined)) return
      const totals = isNew ? [...totalsOf(order)].map(([token, units]) => [token, units.toString()]) : []
      const outflow: Record<string, string> = Object.fromEntries(totals)
      const line = { network, account, slot: [...slot], order: fingerprint(order), outflow, isNew }
      write({ did: 'signed', at: at.toISOString(), ...line })
    },
    release(at, network, account, slot) {
      if (fingerprints(network, account, slot).every((print) => print === undefined)) return false
      write({ did: 'released', at: at.toISOString(), network, account, slot: [...slot] })
      return true
    },
    close() {
      writer.close()
      unlock()
    },
  }
}

/** Everything that makes two orders different payments; fees are no part of it. */
function fingerprint(order: Order): string {
  return createHash('sha256')
    .update(JSON.stringify(writeOrder(order)))
    .digest('base64url')
}

function partKey(network: string, account: string, part: string): string {
  return JSON.stringify([network, account, part])
}

/** Reads all whole lines and answers where they end: a torn last line was never answered with a signature. */
async function replay(file: string, isFresh: boolean, apply: (line: Line) => void): Promise<number> {
  if (isFresh) return 0
  let end = 0
  let rest = ''
  let number = 0
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      number++
      end += Buffer.byteLength(text) + 1
      const parsed = Line.safeParse(parse(text))
      if (!parsed.success) throw new ConfigError(`the signer's journal is damaged at line ${number}: ${file}`)
      apply(parsed.data)
    }
  }
  return end
}

function openWriter(file: string, size: number, isFresh: boolean) {
  const descriptor = openSync(file, isFresh ? 'wx' : 'r+', 0o600)
  ftruncateSync(descriptor, size)
  fsyncSync(descriptor)
  if (isFresh) syncFolder(path.dirname(file))
  let end = size
  let isBroken = false
  return {
    append(text: string): void {
      if (isBroken) throw new Error('the journal could not be written: the signer must be restarted')
      isBroken = true
      // Somebody else who writes here would not know our fences, nor we theirs.
      if (fstatSync(descriptor).size !== end) throw new Error('the journal was changed by somebody else')
      const bytes = Buffer.from(text)
      if (writeSync(descriptor, bytes, 0, bytes.length, end) !== bytes.length) {
        throw new Error('the journal took a part of a line only')
      }
      fsyncSync(descriptor)
      end += bytes.length
      isBroken = false
    },
    close: () => closeSync(descriptor),
  }
}

/** A new file is safe only once its folder is on disk too. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

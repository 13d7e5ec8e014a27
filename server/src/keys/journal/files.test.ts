import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Journal } from './journal.ts'
import { checkJournal, pruneJournal, repairJournal } from './maintenance.ts'
import { BEFORE_FIRST, indexFile, listSegments, scanSegment, segmentFile } from './segment.ts'
import { makeFolder, openTestJournal, payout, proposal, sign, unpaid } from './testing.ts'

/** Writes three signatures and returns the bytes of the segment file. */
async function written(folder: string, copy: string | null = null): Promise<Buffer> {
  const journal = await openTestJournal(folder, { copy })
  for (const nonce of [1, 2, 3]) await sign(journal, proposal(nonce, [payout(`p${nonce}`)]))
  await journal.end()
  return readFileSync(segmentFile(folder, 1))
}

const isSignedIn = (journal: Journal, nonce: number) =>
  journal.signatures({ network: 'ALPHA', account: 'wallet', slot: [`${nonce}`] }).length > 0

async function openedWith(folder: string, bytes: Buffer): Promise<boolean[]> {
  writeFileSync(segmentFile(folder, 1), bytes)
  const journal = await openTestJournal(folder)
  const found = [1, 2, 3].map((nonce) => isSignedIn(journal, nonce))
  await journal.end()
  return found
}

describe('a torn last line', () => {
  it('is cut off at whatever byte it ends', async () => {
    const folder = makeFolder()
    const bytes = await written(folder)
    const start = bytes.lastIndexOf('\n', bytes.length - 2) + 1
    for (let size = start; size < bytes.length; size++) {
      const scan = scanSegment(bytes.subarray(0, size), BEFORE_FIRST)
      expect(scan).toMatchObject({ lines: 3, end: start, rest: size === start ? 'none' : 'torn' })
      // Testing every size with files takes long, because each write is synced.
      if (size % 40 > 0 && size < bytes.length - 1) continue
      expect(await openedWith(folder, bytes.subarray(0, size)), `${size}`).toEqual([true, true, false])
      expect(statSync(segmentFile(folder, 1)).size).toBe(start)
    }
    expect(await openedWith(folder, bytes)).toEqual([true, true, true])
  })

  it('is not cut off if the mark has seen it', async () => {
    const folder = makeFolder()
    const journal = await openTestJournal(folder)
    await sign(journal, proposal(1, [payout('a')]))
    await journal.saveMark({})
    await journal.end()
    truncateSync(segmentFile(folder, 1), statSync(segmentFile(folder, 1)).size - 5)
    await expect(openTestJournal(folder)).rejects.toThrow('the journal ends at line 1, and had line 2')
  })

  it('of a new segment removes the segment', async () => {
    const folder = makeFolder()
    await written(folder)
    writeFileSync(segmentFile(folder, 2), '{"n":5,"prev":')
    const journal = await openTestJournal(folder)
    expect(isSignedIn(journal, 3)).toBe(true)
    await journal.end()
    expect(listSegments(folder)).toEqual([1])
  })
})

describe('a damaged line', () => {
  it('keeps the journal closed if whole lines are missing at the end of a closed segment', async () => {
    const folder = makeFolder()
    const journal = await openTestJournal(folder, { segmentBytes: 900 })
    for (let nonce = 1; nonce <= 12; nonce++) await sign(journal, proposal(nonce, [payout(`p${nonce}`)]))
    await journal.end()
    expect(listSegments(folder).length).toBeGreaterThan(2)
    // A copy that was made while the segment was being written.
    const bytes = readFileSync(segmentFile(folder, 1))
    truncateSync(segmentFile(folder, 1), bytes.lastIndexOf('\n', bytes.length - 2) + 1)
    await expect(openTestJournal(folder)).rejects.toThrow('the journal is damaged')
  })

  it('keeps the journal closed, whichever byte is changed', async () => {
    const folder = makeFolder()
    const bytes = await written(folder)
    // Changing the last line break makes the last line torn, not damaged.
    for (let position = 0; position < bytes.length - 1; position++) {
      const changed = Buffer.from(bytes)
      changed[position] = (changed[position] ?? 0) ^ 1
      expect(scanSegment(changed, BEFORE_FIRST).rest, `${position}`).toBe('damaged')
      if (position % 40 > 0) continue
      await expect(openedWith(folder, changed), `${position}`).rejects.toThrow('damaged')
    }
  })

  it('that was removed or moved keeps the journal closed', async () => {
    const folder = makeFolder()
    const lines = (await written(folder)).toString().split('\n').slice(0, -1)
    const asFile = (order: number[]) => Buffer.from(order.map((at) => `${lines[at]}\n`).join(''))
    for (const order of [
      [0, 2, 3],
      [1, 2, 3],
      [0, 2, 1, 3],
      [0, 1, 1, 2, 3],
    ]) {
      await expect(openedWith(folder, asFile(order))).rejects.toThrow('damaged')
    }
  })

  it('is repaired from the copy', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    const bytes = await written(folder, copy)
    const changed = Buffer.from(bytes)
    changed[bytes.length - 40] = 0x21
    writeFileSync(segmentFile(folder, 1), changed)
    await expect(openTestJournal(folder, { copy })).rejects.toThrow('damaged')
    expect(repairJournal(folder, copy)).toEqual([segmentFile(folder, 1)])
    expect(checkJournal(folder)).toMatchObject({ segments: 1, lines: 4 })
    expect(readFileSync(segmentFile(folder, 1)).equals(bytes)).toBe(true)
    writeFileSync(segmentFile(folder, 1), changed)
    writeFileSync(segmentFile(copy, 1), changed)
    expect(() => repairJournal(folder, copy)).toThrow('damaged')
  })
})

describe('the copy', () => {
  it('has every line, and restores a journal that was lost', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    const bytes = await written(folder, copy)
    expect(readFileSync(segmentFile(copy, 1)).equals(bytes)).toBe(true)
    rmSync(folder, { recursive: true })
    const journal = await openTestJournal(folder, { copy })
    expect(isSignedIn(journal, 3)).toBe(true)
    await journal.end()
  })

  it('is extended to match the journal, and the journal to match the copy', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    const bytes = await written(folder, copy)
    const second = bytes.lastIndexOf('\n', bytes.length - 2) + 1
    for (const behind of [folder, copy]) {
      truncateSync(segmentFile(behind, 1), second)
      const journal = await openTestJournal(folder, { copy })
      expect(isSignedIn(journal, 3)).toBe(true)
      await journal.end()
      expect(readFileSync(segmentFile(behind, 1)).equals(bytes)).toBe(true)
    }
  })

  it('with other content keeps the journal closed', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    await written(folder, copy)
    for (const [one, id] of [
      [folder, 'a'],
      [copy, 'b'],
    ] as const) {
      const journal = await openTestJournal(one)
      await sign(journal, proposal(4, [payout(id)]))
      await journal.end()
    }
    await expect(openTestJournal(folder, { copy })).rejects.toThrow('went different ways')
  })
})

describe('writing', () => {
  it('a full disk stops signing until a restart, and unwritten lines are not there', async () => {
    const folder = makeFolder()
    const alerts: unknown[] = []
    let isFull = false
    const sync = async () => {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    const journal = await openTestJournal(folder, { sync, onBroken: (error) => alerts.push(error) })
    await sign(journal, proposal(1, [payout('a')]))
    isFull = true
    await expect(sign(journal, proposal(2, [payout('b')]))).rejects.toThrow('must be restarted')
    isFull = false
    await expect(sign(journal, proposal(3, [payout('c')]))).rejects.toThrow('must be restarted')
    expect(alerts).toHaveLength(1)
    expect(journal.isBroken()).toBe(true)
    await journal.end()
    const next = await openTestJournal(folder)
    expect(next.isBroken()).toBe(false)
    expect(isSignedIn(next, 1)).toBe(true)
    expect(isSignedIn(next, 3)).toBe(false)
    await next.end()
  })

  it('an index that cannot be written stops nothing: its fences stay in memory', async () => {
    const folder = makeFolder()
    // The disk is full when the index of the first segment is written.
    mkdirSync(`${indexFile(folder, 1)}.new`)
    const journal = await openTestJournal(folder, { segmentBytes: 900 })
    for (let nonce = 1; nonce <= 12; nonce++) await sign(journal, proposal(nonce, [payout(`p${nonce}`)]))
    expect(listSegments(folder).length).toBeGreaterThan(2)
    expect(isSignedIn(journal, 1)).toBe(true)
    await journal.end()
    expect(existsSync(indexFile(folder, 1))).toBe(false)
  })

  it('a failing copy stops signing, too', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    const journal = await openTestJournal(folder, { copy })
    await sign(journal, proposal(1, [payout('a')]))
    truncateSync(segmentFile(copy, 1), 10)
    await expect(sign(journal, proposal(2, [payout('b')]))).rejects.toThrow('must be restarted')
    await journal.end()
  })

  it('concurrent lines share one sync', async () => {
    let syncs = 0
    const journal = await openTestJournal(makeFolder(), { sync: async () => void syncs++ })
    const before = syncs
    await Promise.all(Array.from({ length: 50 }, (_, nonce) => sign(journal, proposal(nonce, [payout(`p${nonce}`)]))))
    expect(syncs - before).toBeLessThan(5)
    await journal.end()
  })

  it('a journal can be opened once, by this or another process', async () => {
    const folder = makeFolder()
    const journal = await openTestJournal(folder)
    await expect(openTestJournal(folder)).rejects.toThrow('two signers must not share a journal')
    await journal.end()
    // A process that is alive: the parent of this one.
    writeFileSync(path.join(folder, 'lock'), `${process.ppid}\n`)
    await expect(openTestJournal(folder)).rejects.toThrow(`process ${process.ppid} holds`)
    rmSync(path.join(folder, 'lock'))
    await (await openTestJournal(folder)).end()
  })

  it('another writer is detected before the next line', async () => {
    const folder = makeFolder()
    const journal = await openTestJournal(folder)
    await sign(journal, proposal(1, [payout('a')]))
    writeFileSync(segmentFile(folder, 1), `${readFileSync(segmentFile(folder, 1))}x`)
    await expect(sign(journal, proposal(2, [payout('b')]))).rejects.toThrow('must be restarted')
    await journal.end()
  })
})

describe('old segments', () => {
  const LATER = new Date(Date.now() + 3_600_000)

  async function withSegments(folder: string, copy: string): Promise<void> {
    const journal = await openTestJournal(folder, { copy, segmentBytes: 900 })
    for (const nonce of [1, 2, 3, 4, 5, 6]) {
      await sign(journal, proposal(nonce, [payout(`p${nonce}`)]))
      if (nonce !== 4) await journal.close(unpaid(nonce))
    }
    await journal.end()
  }

  it('are pruned in both folders until one has an open slot', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    await withSegments(folder, copy)
    const options = { folder, copy, now: () => new Date() }
    expect(await pruneJournal(options, new Date(0))).toEqual([])
    const removed = await pruneJournal(options, LATER)
    expect(removed.length).toBeGreaterThan(0)
    for (const one of [folder, copy]) expect(existsSync(segmentFile(one, 1))).toBe(false)
    const journal = await openTestJournal(folder, { copy })
    expect(isSignedIn(journal, 1)).toBe(false)
    expect(isSignedIn(journal, 4)).toBe(true)
    await journal.end()
  })

  it('may be missing if a prune was interrupted before it had removed all of them', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    await withSegments(folder, copy)
    const older = makeFolder()
    cpSync(folder, older, { recursive: true })
    const removed = await pruneJournal({ folder, now: () => new Date() }, LATER)
    expect(removed.length).toBeGreaterThan(1)
    // The files that the prune had not removed yet.
    for (const segment of removed.slice(1)) cpSync(segmentFile(older, segment), segmentFile(folder, segment))
    const journal = await openTestJournal(folder)
    expect(isSignedIn(journal, 4)).toBe(true)
    await journal.end()
  })

  it('that are missing or damaged keep the journal closed', async () => {
    const [folder, copy] = [makeFolder(), makeFolder()]
    await withSegments(folder, copy)
    const older = makeFolder()
    cpSync(folder, older, { recursive: true })
    rmSync(segmentFile(older, 2))
    await expect(openTestJournal(older)).rejects.toThrow('missing')
    // The oldest ones were deleted by hand: their fences would be lost without notice.
    rmSync(segmentFile(older, 1))
    await expect(openTestJournal(older)).rejects.toThrow('missing')
    const file = segmentFile(folder, 1)
    const bytes = readFileSync(file)
    bytes[100] = (bytes[100] ?? 0) ^ 1
    writeFileSync(file, bytes)
    expect(() => checkJournal(folder)).toThrow('damaged')
    expect(repairJournal(folder, copy)).toEqual([file])
    checkJournal(folder)
  })
})

/** Two processes over one folder, whose lock does not keep them apart: containers that share a volume have the same process id. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { segmentFile } from './segment.ts'
import { makeFolder } from './testing.ts'
import { openWriter } from './writer.ts'

const open = (folder: string) => openWriter({ folders: [folder], segment: 1, onBroken: () => undefined })

test('of two processes that write at once at most one line is acknowledged, and that line is on disk', async () => {
  for (let round = 0; round < 50; round++) {
    const folder = makeFolder()
    const writers = [await open(folder), await open(folder)]
    const texts = ['a line of the first process', 'a line of the second one']
    const done = await Promise.allSettled(writers.map((writer, at) => writer.append(texts[at] ?? '')))
    const told = texts.filter((_, at) => done[at]?.status === 'fulfilled')
    expect(told.length).toBeLessThan(2)
    const lines = readFileSync(segmentFile(folder, 1), 'utf8').split('\n')
    for (const text of told) expect(lines).toContain(text)
    for (const writer of writers) await writer.close()
  }
})

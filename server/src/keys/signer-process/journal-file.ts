/** The journal's file: whole lines read back, and each new one on disk before anybody goes on. */
import { closeSync, createReadStream, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from '../../config.ts'

/**
 * Reads all whole lines and answers where they end: a torn last line was never answered with a signature. `apply` says of
 * each whether it was understood.
 */
export async function replay(file: string, isFresh: boolean, apply: (line: unknown) => boolean): Promise<number> {
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
      if (!apply(parse(text))) throw new ConfigError(`the signer's journal is damaged at line ${number}: ${file}`)
    }
  }
  return end
}

export function openWriter(file: string, size: number, isFresh: boolean) {
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

/** Keeps a second process off a journal: a file in its folder that names the process which holds it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../../config.ts'

/** Locks of this process: it must not open a journal twice either. */
const held = new Set<string>()

/** Returns how to release it. A lock whose process is gone is taken over. */
export function lockFile(file: string): () => void {
  if (held.has(file)) throw new ConfigError(`this process holds ${file} already: two signers must not share a journal`)
  if (!take(file)) {
    const holder = holderOf(file)
    // In a container every process may have the same id.
    if (holder !== null && holder !== process.pid && isAlive(holder)) {
      throw new ConfigError(`process ${holder} holds ${file}: two signers must not share a journal`)
    }
    rmSync(file, { force: true })
    if (!take(file)) throw new ConfigError(`another signer has just taken ${file}`)
  }
  held.add(file)
  return () => {
    held.delete(file)
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw new ConfigError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function holderOf(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** A lock file that keeps a second process off a journal. It names the process that holds the journal. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigError } from '../../config.ts'

/** Lock files held by this process, which must not open a journal twice either. */
const held = new Set<string>()

/** Takes the lock, and takes it over if its process is gone. Returns the function that releases it. */
export function lockFile(file: string): () => void {
  if (held.has(file)) throw new ConfigError(`this process holds ${file} already: two signers must not share a journal`)
  if (!take(file)) {
    const holder = holderOf(file)
    // In a container every process may have the same process id, so a lock with our own id does not count as held.
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
    // EPERM: the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

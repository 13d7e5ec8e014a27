/** Checks of the machine: free disk space, folders that must be writable, and the age of the last backup. */
import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../config.ts'
import { type Check, fail, ok, reasonOf, warn } from './check.ts'

const MB = 1_000_000
/** The signing journal refuses to sign on a full disk: nothing is paid then. */
const LEAST_FREE_BYTES = 100 * MB
const LOW_FREE_BYTES = 1_000 * MB
const HOUR_MS = 3_600_000

export function checkMachine(config: Config, now: Date): Promise<Check[]> {
  const isWorker = config.roles.includes('work')
  const journal = isWorker && config.signer !== 'remote' ? [config.journalFolder, config.journalCopy] : []
  const folders = [...new Set([config.dataFolder, ...journal].filter((folder) => folder !== undefined))]
  return Promise.all([...folders.map(checkFolder), checkBackup(config, now)])
}

async function checkFolder(folder: string): Promise<Check> {
  const name = `disk ${folder}`
  try {
    const place = await nearest(folder)
    await access(place, constants.W_OK)
    const { bavail, bsize } = await statfs(place)
    return judgeFree(name, bavail * bsize)
  } catch (error) {
    return fail(name, reasonOf(error), 'Create the folder, and make it writable for the user of the service')
  }
}

export function judgeFree(name: string, freeBytes: number): Check {
  const detail = `${Math.floor(freeBytes / MB)} MB are free`
  if (freeBytes < LEAST_FREE_BYTES) return fail(name, detail, 'Free some space: nothing is signed on a full disk')
  return freeBytes < LOW_FREE_BYTES ? warn(name, detail, 'Free some space') : ok(name, detail)
}

/** The folder itself, or the parent in which the service will create it. */
async function nearest(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || path.dirname(folder) === folder ? folder : nearest(path.dirname(folder))
}

/** The newest file in BACKUP_FOLDER is the last backup. */
async function checkBackup({ backupFolder, backupMaxAgeHours, environment }: Config, now: Date): Promise<Check> {
  const name = 'backup'
  if (!backupFolder) {
    const detail = 'the age of the last backup is unknown'
    const isReal = environment === 'mainnet'
    return isReal
      ? warn(name, detail, 'Set BACKUP_FOLDER to the folder of the backups')
      : ok(name, `${detail}: BACKUP_FOLDER is not set`)
  }
  try {
    const files = await readdir(backupFolder)
    const times = await Promise.all(files.map(async (file) => (await stat(path.join(backupFolder, file))).mtimeMs))
    return judgeBackup(name, times, backupMaxAgeHours, now)
  } catch (error) {
    return fail(name, reasonOf(error), 'Correct BACKUP_FOLDER, or let the user of the service read it')
  }
}

function judgeBackup(name: string, times: readonly number[], maxAgeHours: number, now: Date): Check {
  const fix = 'Back up the database, and look why the schedule did not: docs/operate/restore.md'
  if (times.length === 0) return fail(name, 'there is none', fix)
  const ageMs = now.getTime() - Math.max(...times)
  const detail = `the last one is ${Math.floor(ageMs / HOUR_MS)} h old`
  return ageMs > maxAgeHours * HOUR_MS ? fail(name, detail, fix) : ok(name, detail)
}

/** The network files, read with the service's own schema. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { NetworkFile } from '../../server/src/catalogue/network-file.ts'

export type { NetworkFile } from '../../server/src/catalogue/network-file.ts'

export const ROOT = path.join(import.meta.dirname, '../../networks')
/** The files of real chains; the sandbox's addresses are its own. */
export const REAL = ['mainnet', 'testnet']

export function readFiles(environment: string): NetworkFile[] {
  const folder = path.join(ROOT, environment)
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => NetworkFile.parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))))
}

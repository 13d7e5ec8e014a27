/** The SDK as an integrator gets it: packed, and installed into an empty project. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const SDK = path.join(import.meta.dirname, '../../../sdk')

export interface InstalledSdk {
  /** The project that contains only the SDK. */
  folder: string
  tarball: string
  remove(): void
}

export function installSdk(): InstalledSdk {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-sdk-'))
  const packed: { filename: string }[] = JSON.parse(npm(SDK, 'pack', '--json', '--pack-destination', folder))
  const tarball = path.join(folder, packed[0]?.filename ?? '')
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }\n')
  npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball)
  return { folder, tarball, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function npm(cwd: string, ...words: string[]): string {
  return execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

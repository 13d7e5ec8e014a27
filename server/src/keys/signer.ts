/** Chooses the signer that the configuration names. */
import { readFileSync } from 'node:fs'
import type { Signer } from '@causeway/core'
import { type Config, ConfigError } from '../config.ts'
import { openKeystore } from './keystore.ts'
import { mnemonicSigner } from './mnemonic.ts'

export function openSigner(config: Config): Signer {
  if (config.SIGNER === 'mnemonic') return mnemonicSigner(config.MNEMONIC ?? '')
  const keystore = read(config.KEYSTORE_FILE ?? '', 'KEYSTORE_FILE')
  const password = read(config.KEYSTORE_PASSWORD_FILE ?? '', 'KEYSTORE_PASSWORD_FILE').trim()
  return mnemonicSigner(openKeystore(keystore, password))
}

function read(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(`${name}: the file cannot be read`)
  }
}

import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseSignerConfig } from './signer-config.ts'

const FILES = {
  KEYSTORE_FILE: 'keystore.json',
  KEYSTORE_PASSWORD_FILE: 'password.txt',
  SIGNER_TOKEN_FILE: 'token.txt',
  SIGNER_POLICY_FILE: 'policy.json',
}

test("the signer reads the service's settings file, and the environment takes precedence", () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-signer-')), 'settings')
  const lines = {
    ...FILES,
    SIGNER_JOURNAL_FOLDER: '/var/lib/journal',
    SIGNER_PORT: '8791',
    NETWORKS: 'networks/mainnet',
  }
  writeFileSync(
    file,
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  )
  const config = parseSignerConfig({ CONFIG_FILE: file, SIGNER_PORT: '8792', SIGNER_HOST: '' })
  expect(config).toMatchObject({
    keystoreFile: 'keystore.json',
    keystorePasswordFile: 'password.txt',
    signerTokenFile: 'token.txt',
    signerPolicyFile: 'policy.json',
    signerJournalFolder: '/var/lib/journal',
    environment: 'mainnet',
  })
  expect([config.signerPort, config.signerHost]).toEqual([8792, '127.0.0.1'])
})

test('a missing file is reported together with all missing settings', () => {
  const start = () => parseSignerConfig({ ...FILES, CONFIG_FILE: '/nowhere/settings' })
  expect(start).toThrow('CONFIG_FILE: there is no file /nowhere/settings that can be read')
  expect(start).toThrow('SIGNER_JOURNAL_FOLDER')
})

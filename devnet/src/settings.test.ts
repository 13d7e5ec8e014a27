import { describe, expect, it } from 'vitest'
import { overridesIn } from './settings.ts'

describe('settings from the shell', () => {
  it('never include a mnemonic, a keystore, a database, a node or other networks', () => {
    const shell = {
      MNEMONIC: 'a real one',
      SIGNER: 'keystore',
      KEYSTORE_FILE: '/etc/keys',
      KEYSTORE_PASSWORD_FILE: '/etc/password',
      DATABASE_URL: 'postgres://production',
      NETWORKS: 'networks/mainnet',
      NODES_ETHEREUM_MAINNET: 'https://node.example',
      PATH: undefined,
      SERVICE_FEE_BPS: '25',
    }
    expect(overridesIn(shell)).toEqual({ SERVICE_FEE_BPS: '25' })
  })
})

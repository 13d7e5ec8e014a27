/** Opens the signer that the configuration selects. */
import type { Signer } from '@causeway/core'
import type { SignerSettings } from '../../config/signer-variables.ts'
import { type KeystoreEnvironment, openKeystore } from '../keystore/keystore.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import { withQuoteKey } from '../quotes/quote-key.ts'
import { readNamed, readToken } from './files.ts'
import { remoteSigner } from './remote.ts'

type Settings = SignerSettings & { environment: KeystoreEnvironment }

/** `given` replaces the configured keys; tests use it. */
export async function openSigner(settings: Settings, given?: Signer): Promise<Signer> {
  const signer = given ?? (await openKeys(settings))
  const { quoteKeyFile } = settings
  return quoteKeyFile ? withQuoteKey(signer, readNamed(quoteKeyFile, 'QUOTE_KEY_FILE')) : signer
}

async function openKeys(settings: Settings): Promise<Signer> {
  switch (settings.signer) {
    case 'mnemonic':
      return mnemonicSigner(settings.mnemonic ?? '')
    case 'keystore': {
      const keystore = readNamed(settings.keystoreFile, 'KEYSTORE_FILE')
      const password = readNamed(settings.keystorePasswordFile, 'KEYSTORE_PASSWORD_FILE').trim()
      return mnemonicSigner(openKeystore(keystore, password, settings.environment))
    }
    case 'remote':
      return remoteSigner({
        url: settings.signerUrl ?? '',
        token: readToken(settings.signerTokenFile, 'SIGNER_TOKEN_FILE'),
        timeoutMs: settings.signerTimeoutMs,
      })
    case 'kms': {
      // Imported here only, so that the KMS code is not in memory if it is not used.
      const { openKms } = await import('./kms.ts')
      return openKms(settings)
    }
  }
}

/** Chooses the signer that the configuration names. */
import type { Signer } from '@causeway/core'
import { type KeystoreEnvironment, openKeystore } from '../keystore/keystore.ts'
import { mnemonicSigner } from '../keystore/mnemonic.ts'
import { withQuoteKey } from '../quotes/quote-key.ts'
import { readNamed, readToken } from './files.ts'
import { remoteSigner } from './remote.ts'
import type { SignerSettings } from './settings.ts'

type Settings = SignerSettings & { ENVIRONMENT?: KeystoreEnvironment }

/** `given` in place of keys of one's own. */
export async function openSigner(settings: Settings, given?: Signer): Promise<Signer> {
  const signer = given ?? (await openKeys(settings))
  const { QUOTE_KEY_FILE } = settings
  return QUOTE_KEY_FILE ? withQuoteKey(signer, readNamed(QUOTE_KEY_FILE, 'QUOTE_KEY_FILE')) : signer
}

async function openKeys(settings: Settings): Promise<Signer> {
  switch (settings.SIGNER) {
    case 'mnemonic':
      return mnemonicSigner(settings.MNEMONIC ?? '')
    case 'keystore': {
      const keystore = readNamed(settings.KEYSTORE_FILE, 'KEYSTORE_FILE')
      const password = readNamed(settings.KEYSTORE_PASSWORD_FILE, 'KEYSTORE_PASSWORD_FILE').trim()
      return mnemonicSigner(openKeystore(keystore, password, settings.ENVIRONMENT))
    }
    case 'remote':
      return remoteSigner({
        url: settings.SIGNER_URL ?? '',
        token: readToken(settings.SIGNER_TOKEN_FILE, 'SIGNER_TOKEN_FILE'),
        timeoutMs: settings.SIGNER_TIMEOUT_SECONDS,
      })
    case 'kms': {
      // Loaded only here: nobody else needs it in memory.
      const { openKms } = await import('./kms.ts')
      return openKms(settings)
    }
  }
}

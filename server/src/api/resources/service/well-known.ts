/** GET /.well-known/causeway.json: the service's name and the key that verifies its signatures. */
import { WellKnown } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import type { Api } from '../../http/schema.ts'

export function wellKnownRoutes(api: Api, { config, quoteSigner }: Services, prefix: string): void {
  const page: WellKnown = {
    service: 'causeway',
    environment: config.environment,
    api: prefix,
    quote_signing_keys: [
      {
        key_id: quoteSigner.keyId,
        algorithm: 'ed25519',
        public_key: Buffer.from(quoteSigner.publicKey).toString('base64'),
      },
    ],
  }
  api.get('/.well-known/causeway.json', { schema: { response: { 200: WellKnown } } }, async () => page)
}

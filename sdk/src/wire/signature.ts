/** The signature of a quote, and where its keys are published. `statement.ts` defines what is signed. */
import { ENVIRONMENTS } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { DateTime } from './values.ts'

export const QuoteSignature = z.strictObject({
  key_id: z.string().describe('The id of the key in /.well-known/causeway.json'),
  algorithm: z.literal('ed25519'),
  signed_at: DateTime,
  value: z.base64().describe('The signature of the canonical JSON of the statement'),
})
export type QuoteSignature = z.infer<typeof QuoteSignature>

/** GET /.well-known/causeway.json */
export const WellKnown = z.strictObject({
  service: z.literal('causeway'),
  environment: z.enum(ENVIRONMENTS),
  api: z.string(),
  quote_signing_keys: z.array(
    z.strictObject({ key_id: z.string(), algorithm: z.literal('ed25519'), public_key: z.base64() }),
  ),
})
export type WellKnown = z.infer<typeof WellKnown>

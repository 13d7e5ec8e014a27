/** Webhook endpoints of an app: add, list, remove, and replay a swap's events. */
import { z } from 'zod'
import { DateTime } from './values.ts'

export const WebhookEndpoint = z.strictObject({ id: z.uuid(), url: z.string(), created_date: DateTime })
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

/** The only response that shows the secret. */
export const CreatedWebhook = WebhookEndpoint.extend({
  secret: z.string().describe('whsec_…, for verifying deliveries. Shown now and never again'),
})
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

/** POST /webhooks */
export const CreateWebhookBody = z.object({
  url: z.string().trim().min(1).max(2048).describe('An https address. The same one again gets a new secret'),
})
export type CreateWebhookBody = z.infer<typeof CreateWebhookBody>

export const WebhookParams = z.object({ webhookId: z.uuid().describe('The id of the endpoint') })

/** POST /webhooks/replay */
export const ReplayBody = z.object({ swap_id: z.uuid().describe("A swap of the key's app") })
export const Replayed = z.strictObject({ deliveries: z.int().describe('How many are on their way again') })
export type Replayed = z.infer<typeof Replayed>

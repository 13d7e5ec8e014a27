/** Webhook endpoints of an app, and the events that they receive. */
import { SWAP_EVENT_TYPES, TEST_EVENT_TYPE } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { SwapDetails } from './swap.ts'
import { DateTime } from './values.ts'

export const SwapEventType = z.enum(SWAP_EVENT_TYPES).describe('`swap.` and the status that the swap has now')
export type SwapEventType = z.infer<typeof SwapEventType>

const eventTypes = z.array(SwapEventType).min(1)

export const WebhookEndpoint = z.strictObject({
  id: z.uuid(),
  url: z.string(),
  event_types: eventTypes
    .nullable()
    .describe('The types of events that the endpoint receives; null for all types, including future ones'),
  created_date: DateTime,
})
export type WebhookEndpoint = z.infer<typeof WebhookEndpoint>

/** The only response that shows the secret. */
export const CreatedWebhook = WebhookEndpoint.extend({
  secret: z.string().describe('The secret for verifying deliveries, whsec_…. It is shown only once'),
})
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

/** POST /webhooks */
export const CreateWebhookBody = z.object({
  url: z.string().trim().min(1).max(2048).describe('An https URL. Adding the same URL again creates a new secret'),
  event_types: eventTypes.nullish().describe('Only these types of events; all types if absent'),
})
export type CreateWebhookBody = z.input<typeof CreateWebhookBody>

/** PATCH /webhooks/{webhookId} */
export const UpdateWebhookBody = z.object({
  event_types: eventTypes.nullable().describe('The types of events to send from now on; null for all types'),
})
export type UpdateWebhookBody = z.infer<typeof UpdateWebhookBody>

export const WebhookParams = z.object({ webhookId: z.uuid().describe('The id of the endpoint') })

/** POST /webhooks/replay */
export const ReplayBody = z.object({ swap_id: z.uuid().describe("A swap of the key's app") })
export const Replayed = z.strictObject({ deliveries: z.int().describe('The number of events that are sent again') })
export type Replayed = z.infer<typeof Replayed>

/** POST /webhooks/{webhookId}/test */
export const TestedWebhook = z.strictObject({
  message_id: z.string().describe('The `webhook-id` that the test event will have'),
})
export type TestedWebhook = z.infer<typeof TestedWebhook>

const SCHEMA_VERSION =
  'Grows when a field is removed or changes its meaning. New fields do not change it: ignore those that you do not know'

/** An event: a swap reached another status. */
export const SwapEvent = z.strictObject({
  type: SwapEventType,
  schema_version: z.int().describe(SCHEMA_VERSION),
  timestamp: DateTime.describe('When the swap reached the status'),
  data: SwapDetails,
})
export type SwapEvent = z.infer<typeof SwapEvent>

/** A test event of an endpoint, without a swap. */
export const TestEvent = z.strictObject({
  type: z.literal(TEST_EVENT_TYPE),
  schema_version: z.int().describe(SCHEMA_VERSION),
  timestamp: DateTime.describe('When the test was requested'),
  data: z.strictObject({ webhook_id: z.uuid().describe('The endpoint that is tested') }),
})
export type TestEvent = z.infer<typeof TestEvent>

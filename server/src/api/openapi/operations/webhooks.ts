/** Webhook endpoints. Their payloads are under `webhooks` in the document. */
import type { Operation } from './operation.ts'

export const webhooks: Record<string, Operation> = {
  'GET /api/v2/webhooks': {
    id: 'listWebhooks',
    tag: 'Webhooks',
    summary: "The app's webhook endpoints",
    description: 'Without their secrets: those are shown once, when an endpoint is added.',
    needsSecretKey: true,
  },
  'POST /api/v2/webhooks': {
    id: 'createWebhook',
    tag: 'Webhooks',
    summary: 'Add a webhook endpoint; its secret is shown once',
    description:
      'An https address that resolves to public ones. Each status change of a swap that was made with a key of the app is sent there, signed with the secret. `event_types` limits it to some types of events. Adding the same address again gives it a new secret at once.',
    needsSecretKey: true,
  },
  'PATCH /api/v2/webhooks/{webhookId}': {
    id: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Choose which events an endpoint receives',
    description: 'Applies to events from now on. The secret stays the same.',
    codes: ['NOT_FOUND'],
    needsSecretKey: true,
  },
  'POST /api/v2/webhooks/{webhookId}/test': {
    id: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event to an endpoint',
    description:
      'A signed event of type `webhook.test`, whatever types the endpoint has chosen. It is sent once, within seconds, and not retried.',
    codes: ['NOT_FOUND'],
    needsSecretKey: true,
  },
  'DELETE /api/v2/webhooks/{webhookId}': {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook endpoint',
    description: 'Undelivered events are discarded.',
    codes: ['NOT_FOUND'],
    needsSecretKey: true,
  },
  'POST /api/v2/webhooks/replay': {
    id: 'replayWebhooks',
    tag: 'Webhooks',
    summary: "Send a swap's events again",
    description:
      'Sends all events of a swap once more, in order, with the same ids: for a receiver that lost them, or after a delivery was given up. Events are kept for a month.',
    codes: ['NOT_FOUND'],
    needsSecretKey: true,
  },
}

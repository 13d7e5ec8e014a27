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
      'An https address that resolves to public ones. Each status change of a swap that was made with a key of the app is sent there, signed with the secret. Adding the same address again gives it a new secret at once.',
    needsSecretKey: true,
  },
  'DELETE /api/v2/webhooks/{webhookId}': {
    id: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Remove a webhook endpoint',
    description: 'What was not delivered yet is not sent there any more.',
    codes: ['NOT_FOUND'],
    needsSecretKey: true,
  },
  'POST /api/v2/webhooks/replay': {
    id: 'replayWebhooks',
    tag: 'Webhooks',
    summary: "Tell a swap's story again",
    description:
      'Sends everything that was ever sent of a swap once more, in order, with the same ids: for a receiver that lost it, or after a delivery was given up. Kept for a month.',
    codes: ['NOT_FOUND'],
    needsSecretKey: true,
  },
}

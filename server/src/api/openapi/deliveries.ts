/** Webhook deliveries in the OpenAPI document. */
import type { Example, Examples } from './examples.ts'
import type { JsonSchema } from './shapes.ts'

const SWAP = [
  'One POST for each change of the status of a swap that was made with a key of the app. It goes to each endpoint of the app that wants this type of event. Events of one swap arrive in order. `data` is the answer of `GET /swaps/{swapId}?exclude_deposit_actions=true` to the app.',
  'Signed as [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. The key is the base64-decoded part of the secret after `whsec_`. Verify the raw body, before you parse it. The same three headers are sent as `svix-id`, `svix-timestamp` and `svix-signature`, too.',
  'Answer 2xx within ten seconds. After any other answer, also a redirect, we try again after 5 s, 30 s, 2 min, 10 min, 1 h, 3 h and then every 6 h for three days. A delivery may come twice, with the same `webhook-id`: handle each id once.',
  'Ignore types and fields that you do not know. `schema_version` grows when a field is removed or changes its meaning.',
]
const TEST = [
  '`POST /webhooks/{webhookId}/test` or an operator asks for it. It is signed like every other event, sent once and not retried. It is about no swap: answer 2xx and do nothing.',
]

const NAMES: [string, string, string][] = [
  ['webhook-id', 'The same for every attempt: handle each once.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'],
  [
    'webhook-timestamp',
    'When this attempt was signed, in seconds. Refuse what is older than five minutes.',
    '1794787691',
  ],
  [
    'webhook-signature',
    '`v1,` and a signature in base64; several, with spaces between, while a secret is changed.',
    'v1,g0hM…',
  ],
]

type ShownAs = (summary: string, value: unknown) => JsonSchema

export function deliveriesOf(
  bodies: { swap: JsonSchema; test: JsonSchema },
  examples: Examples,
  shownAs: ShownAs,
): JsonSchema {
  const [swap, test] = [examples['webhook swap']?.[0], examples['webhook test']?.[0]]
  const parameters = NAMES.map(([name, description, fallback]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example: swap?.request.headers?.[name] ?? fallback,
  }))
  const delivery = (schema: JsonSchema, example: Example | undefined, word: string) => ({
    tags: ['Webhooks'],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema,
          ...(example && { examples: { [word]: shownAs(example.summary, example.request.body) } }),
        },
      },
    },
    responses: {
      '2XX': { description: 'It was accepted, and is not sent again.' },
      '4XX': { description: 'It is sent again later, as after any other answer and after none.' },
    },
  })
  return {
    swap: {
      post: {
        operationId: 'swapChanged',
        summary: 'A swap has another status',
        description: SWAP.join('\n\n'),
        ...delivery(bodies.swap, swap, 'completed'),
      },
    },
    test: {
      post: {
        operationId: 'webhookTested',
        summary: 'A test of an endpoint',
        description: TEST.join('\n\n'),
        ...delivery(bodies.test, test, 'test'),
      },
    },
  }
}

/** Webhook deliveries in the OpenAPI document. */
import type { Example } from './examples.ts'
import type { JsonSchema } from './shapes.ts'

const DESCRIPTION = [
  'One POST for each change of the status of a swap that was made with a key of the app, to each of its endpoints, in order for one swap. The body is what `GET /swaps/{swapId}?exclude_deposit_actions=true` answers to the app.',
  'Signed as [Standard Webhooks](https://www.standardwebhooks.com): `webhook-signature` is `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the base64-decoded part of the secret after `whsec_`. Verify over the body as it came, before parsing it. The same three headers come as `svix-id`, `svix-timestamp` and `svix-signature` too.',
  'Answer 2xx within ten seconds. Anything else, also a redirect, is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, 3 h and then every 6 h for three days. A delivery may come twice, with the same `webhook-id`: handle each id once.',
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

export function deliveriesOf(body: JsonSchema, example: Example | undefined, shownAs: ShownAs): JsonSchema {
  const parameters = NAMES.map(([name, description, fallback]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example: example?.request.headers?.[name] ?? fallback,
  }))
  const shown = example && { examples: { completed: shownAs(example.summary, example.request.body) } }
  return {
    swap: {
      post: {
        operationId: 'swapChanged',
        tags: ['Webhooks'],
        summary: 'A swap has another status',
        description: DESCRIPTION.join('\n\n'),
        security: [],
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema: body, ...shown } } },
        responses: {
          '2XX': { description: 'It was taken, and is not sent again.' },
          '4XX': { description: 'It is sent again later, as after any other answer and after none.' },
        },
      },
    },
  }
}

/** `webhook`: where an app wants to be told of its swaps. */
import { makeWebhookSecret } from '../apps/accounts.ts'
import { giveUpAt, MAX_ENDPOINTS, urlProblem } from '../apps/webhooks.ts'
import { addJob, notifyJob } from '../store/jobs.ts'
import { disableEndpoint, insertEndpoint, listEndpoints, replayDeliveries } from '../store/webhooks.ts'
import { appNamed, type Command, change, needed, parseWords, table, UsageError } from './desk.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const webhookCommands: Record<string, Command> = {
  add: {
    usage: 'add --app NAME --url https://…',
    help: 'Adds an endpoint and shows its secret, this once. The same address again gets a new secret.',
    async run(desk, words) {
      const { values } = parseWords(words, ['app', 'url'])
      const app = await appNamed(desk, needed(values, 'app'))
      const url = needed(values, 'url')
      // Whether private addresses are delivered to is the service's own setting; here they may be written down.
      const problem = urlProblem(url, true)
      if (problem) throw new UsageError(`--url ${problem}`)
      const others = (await listEndpoints(desk.database, app.id)).filter((known) => known.url !== url)
      if (others.length >= MAX_ENDPOINTS) throw new UsageError(`${app.name} has ${MAX_ENDPOINTS} endpoints already`)
      const secret = makeWebhookSecret()
      const endpoint = await change(desk, 'webhook added', { app: app.name, url }, (queries) =>
        insertEndpoint(queries, { appId: app.id, url, secret }),
      )
      desk.print(`\n  ${secret}\n`)
      desk.print(`This is the only time that the secret is shown. The endpoint's id is ${endpoint.id}.`)
      if (urlProblem(url, false)) desk.print('This address is delivered to only with ALLOW_PRIVATE_WEBHOOKS=true.')
    },
  },
  list: {
    usage: 'list --app NAME',
    help: 'Lists the endpoints of an app.',
    async run(desk, words) {
      const app = await appNamed(desk, needed(parseWords(words, ['app']).values, 'app'))
      const endpoints = await listEndpoints(desk.database, app.id)
      if (endpoints.length === 0) return desk.print(`${app.name} has no webhook`)
      table(
        desk,
        ['id', 'url', 'created'],
        endpoints.map(({ id, url, created_at }) => [id, url, created_at.toISOString()]),
      )
    },
  },
  remove: {
    usage: 'remove --app NAME --id WEBHOOK_ID',
    help: 'Removes an endpoint. What it was not told yet is not told any more.',
    async run(desk, words) {
      const { values } = parseWords(words, ['app', 'id'])
      const app = await appNamed(desk, needed(values, 'app'))
      const id = needed(values, 'id')
      const unknown = new UsageError(`${app.name} has no webhook ${id}; "webhook list" shows the ids`)
      if (!UUID.test(id)) throw unknown
      await change(desk, 'webhook removed', { app: app.name, id }, async (queries) => {
        if (!(await disableEndpoint(queries, app.id, id, desk.now()))) throw unknown
      })
      desk.print(`the webhook ${id} is removed`)
    },
  },
  replay: {
    usage: 'replay --app NAME --swap SWAP_ID',
    help: 'Tells the story of a swap again, from its first change on, also what was given up.',
    async run(desk, words) {
      const { values } = parseWords(words, ['app', 'swap'])
      const app = await appNamed(desk, needed(values, 'app'))
      const swapId = needed(values, 'swap')
      if (!UUID.test(swapId)) throw new UsageError(`${swapId} is no swap id`)
      const times = { now: desk.now(), giveUpAt: giveUpAt(desk.now()) }
      const count = await change(desk, 'webhooks replayed', { app: app.name, swapId }, async (queries) => {
        const replayed = await replayDeliveries(queries, app.id, swapId, times)
        if (replayed.length === 0) throw new UsageError(`nothing was ever told of a swap ${swapId} of ${app.name}`)
        for (const { endpointId } of replayed) await addJob(queries, notifyJob(endpointId, swapId))
        return replayed.length
      })
      desk.print(`${count} deliveries are on their way again`)
    },
  },
}

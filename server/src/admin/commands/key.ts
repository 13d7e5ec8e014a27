/** `key`: API keys. A key is shown once, when it is created; only its hash is stored. */
import { ENVIRONMENTS } from '@causeway/core'
import { makeKey } from '../../apps/accounts.ts'
import { type ApiKeyRow, expireKey, insertKey, listApps, listKeys, readKey, revokeKey } from '../../store/apps/apps.ts'
import {
  appNamed,
  type Command,
  type CommandContext,
  change,
  needed,
  table,
  UsageError,
} from '../context/command-context.ts'
import { APP, ID, NUMBER, oneOf, optional } from '../context/forms.ts'

/** How long the old key stays valid: time to deploy the new one everywhere. */
const OVERLAP_HOURS = 24
const MAX_OVERLAP_HOURS = 24 * 90
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const keyCommands: Record<string, Command> = {
  create: {
    usage: 'create --app NAME --environment mainnet|testnet [--kind secret|public]',
    help: 'Creates a key for one environment and shows it once. A secret key, for servers, acts for its app; a public key may be used in a page.',
    takes: { options: { app: APP, environment: oneOf(ENVIRONMENTS), kind: optional(oneOf(['secret', 'public'])) } },
    async run(desk, { values }) {
      const app = await appNamed(desk, needed(values, 'app'))
      const given = needed(values, 'environment')
      const environment = ENVIRONMENTS.find((known) => known === given)
      if (!environment) throw new UsageError('--environment is mainnet or testnet')
      const kind = values.kind ?? 'secret'
      if (kind !== 'secret' && kind !== 'public') throw new UsageError('--kind is secret or public')
      const { key, hash, hint } = makeKey(environment, kind)
      const row = await change(desk, 'key created', { app: app.name, environment, kind, hint }, (queries) =>
        insertKey(queries, { appId: app.id, environment, kind, hint, hash }),
      )
      show(desk, key, row.id)
    },
  },
  list: {
    usage: 'list [--app NAME]',
    help: 'Lists the keys of an app, or of all, by their beginnings.',
    takes: { options: { app: optional(APP) } },
    async run(desk, { values }) {
      const { app: name } = values
      const apps = name ? [await appNamed(desk, name)] : await listApps(desk.database)
      const rows: string[][] = []
      for (const app of apps) {
        for (const key of await listKeys(desk.database, app.id)) {
          const { id, hint, environment, kind, created_at } = key
          rows.push([id, app.name, hint, kind, environment, created_at.toISOString(), stateOf(key, desk.now())])
        }
      }
      if (rows.length === 0) return desk.print(`${name ?? 'no app'} has ${name ? 'no' : 'a'} key`)
      table(desk, ['id', 'app', 'key', 'kind', 'environment', 'created', 'state'], rows)
    },
  },
  rotate: {
    usage: 'rotate --id KEY_ID [--hours 24]',
    help: `Makes a successor of a key; the old one works on for some hours (${OVERLAP_HOURS} if not said).`,
    takes: { options: { id: ID, hours: optional(NUMBER) } },
    async run(desk, { values }) {
      const old = await liveKey(desk, needed(values, 'id'))
      const hours = Number(values.hours ?? OVERLAP_HOURS)
      if (!(hours >= 0 && hours <= MAX_OVERLAP_HOURS)) throw new UsageError(`--hours is 0 to ${MAX_OVERLAP_HOURS}`)
      const endsAt = new Date(desk.now().getTime() + hours * 3_600_000)
      const expiresAt = old.expires_at && old.expires_at < endsAt ? old.expires_at : endsAt
      const { key, hash, hint } = makeKey(old.environment, old.kind)
      const data = { old: old.id, hint, expiresAt: expiresAt.toISOString() }
      const row = await change(desk, 'key rotated', data, async (queries) => {
        await expireKey(queries, old.id, expiresAt)
        return insertKey(queries, { appId: old.app_id, environment: old.environment, kind: old.kind, hint, hash })
      })
      desk.print(`${old.hint} works until ${expiresAt.toISOString()}`)
      show(desk, key, row.id)
    },
  },
  revoke: {
    usage: 'revoke --id KEY_ID',
    help: 'Ends a key for good. It is refused within a few seconds.',
    takes: { options: { id: ID } },
    async run(desk, { values }) {
      const key = await liveKey(desk, needed(values, 'id'))
      await change(desk, 'key revoked', { id: key.id, hint: key.hint }, (queries) =>
        revokeKey(queries, key.id, desk.now()),
      )
      desk.print(`${key.hint} is revoked`)
    },
  },
}

async function liveKey(desk: CommandContext, id: string): Promise<ApiKeyRow> {
  const key = UUID.test(id) ? await readKey(desk.database, id) : null
  if (!key) throw new UsageError(`there is no key ${id}; "key list" shows the ids`)
  if (isLive(key, desk.now())) return key
  throw new UsageError(`the key ${id} is ${stateOf(key, desk.now())} already`)
}

function isLive({ revoked_at, expires_at }: ApiKeyRow, now: Date): boolean {
  return !revoked_at && (!expires_at || expires_at > now)
}

function stateOf(key: ApiKeyRow, now: Date): string {
  if (!isLive(key, now)) return key.revoked_at ? 'revoked' : 'expired'
  return key.expires_at ? `live until ${key.expires_at.toISOString()}` : 'live'
}

function show(desk: CommandContext, key: string, id: string): void {
  desk.print(`\n  ${key}\n`)
  desk.print(`This is the only time that the key is shown. Its id is ${id}.`)
}

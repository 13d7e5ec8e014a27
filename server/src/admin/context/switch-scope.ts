/** The scope of a switch or limit as the operator writes it: it must exist, and is converted to its stored spelling. */
import { tokenKey } from '@causeway/core'
import type { Queries } from '../../store/db/database.ts'
import type { Scope } from '../../store/db/schema.ts'
import { readKnown } from '../../store/market/known-assets.ts'
import { hasCampaign } from '../../store/rewards/campaigns.ts'
import { UsageError } from './command-context.ts'
import { alike, networkNamed } from './wallet-ref.ts'

const TOKEN = '[A-Za-z0-9_]+/[A-Za-z0-9_:.-]+'
const FORMS = [
  /^service$/,
  /^network:[A-Za-z0-9_]+$/,
  new RegExp(`^token:${TOKEN}$`),
  new RegExp(`^route:${TOKEN}>${TOKEN}$`),
  /^campaign:[a-z0-9-]{1,64}$/,
]

export const SCOPES =
  'SCOPE is service, network:NAME, token:NETWORK/CONTRACT (or /native), route:NETWORK/CONTRACT>NETWORK/CONTRACT, or campaign:NAME (its rewards).'

/** A scope to remove; its network may no longer exist. */
export async function storedScope(queries: Queries, text: string): Promise<Scope> {
  return scopeOf(queries, text).catch(() => scopeForm(text))
}

function scopeForm(text: string): Scope {
  if (!isScope(text)) throw new UsageError(`${text} is no scope. ${SCOPES}`)
  return text
}

function isScope(text: string): text is Scope {
  return FORMS.some((form) => form.test(text))
}

/** The scope in the service's own spelling. An unlisted name is refused: it would pause or limit nothing. */
export async function scopeOf(queries: Queries, given: string): Promise<Scope> {
  const text = scopeForm(given)
  const [kind = '', rest = ''] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  if (text === 'service') return text
  if (kind === 'campaign') {
    if (await hasCampaign(queries, rest)) return text
    throw new UsageError(`there is no campaign ${rest}; "campaign list" shows those there are`)
  }
  if (kind === 'network') return `network:${(await networkNamed(queries, rest)).name}`
  const places: string[] = []
  for (const token of rest.split('>')) places.push(await placeOf(queries, token))
  const route = places.join('>')
  return kind === 'token' ? `token:${route}` : `route:${route}`
}

async function placeOf(queries: Queries, token: string): Promise<string> {
  const [name = '', contract = ''] = token.split('/')
  const network = await networkNamed(queries, name)
  const { tokens } = await readKnown(queries)
  const keys = tokens.filter((one) => one.network === network.name).map(tokenKey)
  const key = alike(keys, contract, (one) => one)
  if (key) return `${network.name}/${key}`
  throw new UsageError(`there is no token ${contract} on ${network.name}; listed are: ${keys.join(', ')}`)
}

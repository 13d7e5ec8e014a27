/** What a switch or a limit applies to, as the operator writes it: only what there is, in the one way it is stored. */
import { tokenKey } from '@causeway/core'
import { hasCampaign } from '../store/campaigns.ts'
import type { Queries } from '../store/database.ts'
import { readKnown } from '../store/known.ts'
import { UsageError } from './desk.ts'

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

/** For what is taken away: it may be of a network that is gone. */
export async function storedScope(queries: Queries, text: string): Promise<string> {
  return scopeOf(queries, text).catch(() => scopeForm(text))
}

function scopeForm(text: string): string {
  if (!FORMS.some((form) => form.test(text))) throw new UsageError(`${text} is no scope. ${SCOPES}`)
  return text
}

/** The same scope as the service writes it. A name that is not listed would pause and bound nothing, and is refused. */
export async function scopeOf(queries: Queries, given: string): Promise<string> {
  const text = scopeForm(given)
  const [kind = '', rest = ''] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)]
  if (text === 'service') return text
  if (kind === 'campaign') {
    if (await hasCampaign(queries, rest)) return text
    throw new UsageError(`there is no campaign ${rest}; "campaign list" shows those there are`)
  }
  const { networks, tokens } = await readKnown(queries)
  const named = (name: string) => {
    const network = networks.find((one) => one.name === name) ?? alike(networks, name, ({ name: own }) => own)
    if (network) return network
    const names = networks.map((one) => one.name).join(', ')
    throw new UsageError(
      `there is no network ${name}; listed are: ${names || 'none, the service has not run here yet'}`,
    )
  }
  const place = (token: string) => {
    const [name = '', contract = ''] = token.split('/')
    const network = named(name)
    const keys = tokens.filter((one) => one.network === network.name).map(tokenKey)
    const key = keys.find((one) => one === contract) ?? alike(keys, contract, (one) => one)
    if (key) return `${network.name}/${key}`
    throw new UsageError(`there is no token ${contract} on ${network.name}; listed are: ${keys.join(', ')}`)
  }
  if (kind === 'network') return `network:${named(rest).name}`
  return `${kind}:${rest.split('>').map(place).join('>')}`
}

/** The only one that differs in capitals alone. */
function alike<T>(all: readonly T[], text: string, nameOf: (one: T) => string): T | undefined {
  const found = all.filter((one) => nameOf(one).toLowerCase() === text.toLowerCase())
  return found.length === 1 ? found[0] : undefined
}

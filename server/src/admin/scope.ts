/** What a switch or a limit applies to, as the operator writes it. */
import { UsageError } from './desk.ts'

const TOKEN = '[A-Z0-9_]+/[A-Za-z0-9_:.-]+'
const FORMS = [
  /^service$/,
  /^network:[A-Z0-9_]+$/,
  new RegExp(`^token:${TOKEN}$`),
  new RegExp(`^route:${TOKEN}>${TOKEN}$`),
  /^campaign:[a-z0-9-]{1,64}$/,
]

export const SCOPES =
  'SCOPE is service, network:NAME, token:NETWORK/CONTRACT (or /native), route:NETWORK/CONTRACT>NETWORK/CONTRACT, or campaign:NAME (its rewards).'

export function scopeOf(text: string): string {
  if (!FORMS.some((form) => form.test(text))) throw new UsageError(`${text} is no scope. ${SCOPES}`)
  return text
}

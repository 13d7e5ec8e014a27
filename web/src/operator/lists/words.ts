/** Words for people in place of the command line's values: names of networks, statuses, reasons, scopes, and JSON. */
import { formatUsd, visible } from '../../money/format.ts'
import { formatTime } from '../../money/format-time.ts'
import { DETAILS, WORDS } from '../../text/en/console.ts'
import { operator as text } from '../../text/en/operator.ts'
import { explorer, status } from '../../text/texts.ts'
import { networkName } from '../overview/names.ts'
import { overview } from '../shell/alerts.ts'

/** Ids, hashes and addresses. */
export const LONG_WORD = /^(?=.*\d)[0-9A-Za-z_-]{30,}$/
export const shortened = (word: string) => visible(`${word.slice(0, 8)}…${word.slice(-4)}`)

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/
/** Columns whose values are words of ours. Names that people chose stay as they are. */
const NAMED = new Set([
  ...['status', 'reason', 'kind', 'paused', 'by', 'role', 'environment', 'state', 'what', 'scope', 'event'],
  ...['refund address', 'source address', 'from', 'key', 'fail_reason', 'value', 'outcome', 'sent', 'in the books'],
])

/** Amounts as text, each with its base units. */
export type Units = Record<string, string>

const dollarsOf = (value: string) => (/^\d+(\.\d+)?$/.test(value) ? formatUsd(Number(value)) : readable(value))

/** A cell of this column, or the value of this field. */
export function wordFor(head: string, value: string, units: Units = {}): string {
  if (head === 'network') return networkName(value)
  if (head === 'scope') return scopeName(value)
  if (head === 'usd') return dollarsOf(value)
  if (head === 'action') return text.actions[value] ?? capital(readable(value))
  if (head === 'booked as' || head === 'account' || head === 'whose') return wordOf(value) ?? capital(spelled(value))
  // The number of a hold is for the command line.
  if (head === 'held') return capital(readable(value.replace(/^[0-9a-f-]{36}: /, '')))
  if (head === 'data' || head === 'with') return factsOf(value, units)
  return NAMED.has(head) ? (wordOf(value) ?? spelled(value)) : readable(value)
}

/** Statuses and reasons are those of the public pages. */
function wordOf(value: string): string | undefined {
  const reason = status.reasons[value]
  return WORDS[value] ?? explorer.words[value] ?? (reason && capital(reason.replace(/\.$/, '')))
}

export const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** `deposit_confirmed` is `Deposit confirmed`. */
function spelled(value: string): string {
  if (!/^[a-z]+(_[a-z]+)*$/.test(value)) return readable(value)
  return capital(value.replaceAll('_', ' '))
}

/** The whole text, with formatted times and the names of networks. */
function readable(text: string): string {
  const timed = text.replace(MOMENT, (moment) => formatTime(moment))
  return visible(timed.replace(CONSTANT, (name) => (isListed(name) ? networkName(name) : name)))
}

const CONSTANT = /\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g
const isListed = (name: string) => overview.value?.feeds.some(({ network }) => network === name) ?? false

/** `network:BASE_SEPOLIA` is `Base Sepolia`; a token is named with its network. */
function scopeName(scope: string): string {
  const [, kind, network = '', token = ''] = /^(network|token):([^/]+)\/?(.*)$/.exec(scope) ?? []
  if (kind === 'network') return networkName(network)
  const wallet = overview.value?.wallets.find((row) => row.scope === scope)
  if (kind === 'token') return text.tokenOn(wallet?.symbol ?? token, networkName(network))
  return wordOf(scope) ?? visible(scope)
}

/** `{"address":"127.0.0.1"}` is `IP address: 127.0.0.1`. Text that is not an object of JSON stays. */
function factsOf(text: string, units: Units): string {
  if (!text.startsWith('{')) return readable(text)
  try {
    const facts = Object.entries(JSON.parse(text) as Record<string, unknown>)
    const told = facts.filter(([name, value]) => name !== 'type' && value !== null)
    return told.map(([name, value]) => `${nameOf(name)}: ${factOf(name, value, units)}`).join(' · ')
  } catch {
    return readable(text)
  }
}

const nameOf = (name: string) =>
  DETAILS[name] ?? capital(visible(name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')).toLowerCase())

/** Base units are shown as the amount that the same answer names elsewhere; long ids are shortened. */
function factOf(name: string, value: unknown, units: Units): string {
  const amount = /units$/i.test(name) && Object.keys(units).find((cell) => units[cell] === String(value))
  if (amount) return visible(amount)
  if (name === 'number') return String(Number(value) + 1)
  if (typeof value === 'string') return LONG_WORD.test(value) ? shortened(value) : wordFor(name, value)
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

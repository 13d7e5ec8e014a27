/**
 * Webhook rules shared by the API, the flow and the commands: the text of an event, who wants it, which URLs are
 * allowed, and how long delivery is retried.
 */
import { BlockList, isIP } from 'node:net'
import { EVENT_SCHEMA_VERSION, SWAP_EVENT_TYPES, type SwapEventType, TEST_EVENT_TYPE } from '@causeway/core'

/** Backoff after each failed attempt: growing, about three days in total. */
export const RETRY_DELAYS_MS = [
  5_000,
  30_000,
  2 * 60_000,
  10 * 60_000,
  3_600_000,
  3 * 3_600_000,
  ...Array.from({ length: 11 }, () => 6 * 3_600_000),
]
const TRIED_FOR_MS = 3 * 24 * 3_600_000
/** Default limit per app: enough for production, staging and a developer. */
export const MAX_ENDPOINTS = 10
const MAX_URL_LENGTH = 2_048

export function giveUpAt(now: Date): Date {
  return new Date(now.getTime() + TRIED_FOR_MS)
}

/** The body of an event about a swap. `details` is the answer of `GET /swaps/{id}` as text, `{"data":…}`. */
export function eventOfSwap(type: SwapEventType, at: Date, details: string): string {
  return `${JSON.stringify(headOf(type, at)).slice(0, -1)},${details.slice(1)}`
}

/** The body of an event that only tries an endpoint. */
export function testEvent(endpointId: string, at: Date): string {
  return JSON.stringify({ ...headOf(TEST_EVENT_TYPE, at), data: { webhook_id: endpointId } })
}

function headOf(type: string, at: Date) {
  return { type, schema_version: EVENT_SCHEMA_VERSION, timestamp: at.toISOString() }
}

/** Whether an endpoint receives events of this type. One without a choice receives all. */
export function wants({ event_types: chosen }: { event_types: string[] | null }, type: SwapEventType): boolean {
  return chosen === null || chosen.includes(type)
}

/** The types in a comma-separated list, or the first unknown word. */
export function eventTypesIn(text: string): SwapEventType[] | { unknown: string } {
  const words = [...new Set(text.split(',').map((word) => word.trim()))]
  const unknown = words.find((word) => !SWAP_EVENT_TYPES.some((type) => type === word))
  return unknown === undefined ? SWAP_EVENT_TYPES.filter((type) => words.includes(type)) : { unknown }
}

/** Which non-public addresses are allowed: none, this machine, or all. */
export type PrivateReach = 'none' | 'loopback' | 'all'

/** The problem with a URL as written, or null. Host names are resolved and checked again at delivery. */
export function urlProblem(text: string, reach: PrivateReach): string | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return 'must be an address'
  const { protocol, hostname, username, password } = new URL(text)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isHere = /^localhost\.?$/i.test(host) || isLoopback(host)
  const mayBePlain = reach === 'all' || (reach === 'loopback' && isHere)
  if (protocol !== 'https:' && !(mayBePlain && protocol === 'http:')) return 'must begin with https://'
  if (username || password) return 'must not contain a password'
  const isLocalName = /(^|\.)(localhost|local|internal)\.?$/i.test(host)
  const mayBeNamed = reach === 'all' || !isLocalName || (reach === 'loopback' && isHere)
  return (isIP(host) === 0 ? mayBeNamed : mayReach(host, reach)) ? null : 'must not be a private address'
}

/** Whether webhooks may be sent to this IP address. */
export function mayReach(address: string, reach: PrivateReach): boolean {
  return reach === 'all' || !isPrivate(address) || (reach === 'loopback' && isLoopback(address))
}

function isLoopback(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && LOOPBACK.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** Loopback, private, link-local, shared, reserved and multicast addresses: anything but the public internet. */
function isPrivate(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return PRIVATE.check(address, 'ipv4')
  return version !== 6 || !GLOBAL_IPV6.check(address, 'ipv6') || PRIVATE.check(address, 'ipv6')
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

const PRIVATE = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [net = '', bits] = range.split('/')
  PRIVATE.addSubnet(net, Number(bits), 'ipv4')
}
// Protocol ranges with Teredo, documentation, 6to4: not public hosts, or they contain other addresses.
PRIVATE.addSubnet('2001::', 23, 'ipv6')
PRIVATE.addSubnet('2001:db8::', 32, 'ipv6')
PRIVATE.addSubnet('2002::', 16, 'ipv6')
const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

/** Which proxies are trusted to report a caller's address. */
import { isIP } from 'node:net'

export const PROXIES =
  'must be the number of proxies before us, or their addresses and subnets: whom anybody believes, anybody can be'

/** The trusted proxies; null if the text is invalid. */
export function trustedProxies(text: string): false | number | string[] | null {
  if (text === 'false' || text === '') return false
  if (/^[1-9]$/.test(text)) return Number(text)
  const places = text.split(',').map((place) => place.trim())
  const isPlace = (place: string) => {
    const [address = '', bits, ...more] = place.split('/')
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
    return most >= 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  }
  return places.every((place) => PROXY_NAMES.has(place) || isPlace(place)) ? places : null
}

/** Subnets that have a name. */
const PROXY_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal'])

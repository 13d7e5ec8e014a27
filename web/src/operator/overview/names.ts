/** Names for people: the console's API uses the constant names of networks. */
import { overview } from '../shell/alerts.ts'

const WRITTEN: Record<string, string> = { TON: 'TON', BSC: 'BSC', TRON: 'TRON', OPBNB: 'opBNB', DYDX: 'dYdX' }

/** The name that the pages show. A network that is no longer listed: `BASE_SEPOLIA` is `Base Sepolia`. */
export function networkName(name: string): string {
  const listed = overview.value?.feeds.find(({ network }) => network === name)
  if (listed) return listed.name
  if (!/^[A-Z0-9_]+$/.test(name)) return name
  const words = name.split('_').filter((word) => word !== 'MAINNET')
  return words.map((word) => WRITTEN[word] ?? word.charAt(0) + word.slice(1).toLowerCase()).join(' ')
}

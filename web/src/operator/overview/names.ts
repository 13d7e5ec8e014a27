/** Names for people: the console's API uses the constant names of networks. */

const WRITTEN: Record<string, string> = { TON: 'TON', BSC: 'BSC', TRON: 'TRON', OPBNB: 'opBNB', DYDX: 'dYdX' }

/** `BASE_SEPOLIA` is `Base Sepolia`, `BASE_MAINNET` is `Base`. */
export function networkName(name: string): string {
  const words = name.split('_').filter((word) => word !== 'MAINNET')
  return words.map((word) => WRITTEN[word] ?? word.charAt(0) + word.slice(1).toLowerCase()).join(' ')
}

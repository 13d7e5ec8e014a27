/** Where wallets mostly are, listed by a service or not: most who are on a wrong network are on one of these. */
const NAMES: Readonly<Record<string, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  137: 'Polygon',
  8453: 'Base',
  42161: 'Arbitrum One',
  43114: 'Avalanche',
  84532: 'Base Sepolia',
  11155111: 'Sepolia',
}

export function nameOf(chainId: string): string | null {
  return NAMES[chainId] ?? null
}

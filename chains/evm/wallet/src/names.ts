/** Names of common networks, even unlisted ones: a wallet on the wrong network is mostly on one of these. */
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

/** The provider behind a URL: two URLs of one provider are one party that can lie. */

/**
 * The host name without port, in one spelling. On this machine each port counts as a separate provider, because the
 * operator runs them.
 */
export function providerOf(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, hostname } = new URL(address)
  return isLoopback(address) ? host : hostname.replace(/\.$/, '')
}

/** Whether the node is on this machine: only such a chain is sure to hold no real money. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** Like `providerOf`, for a host as a URL writes it, which is a node's name. */
export function providerOfHost(host: string): string {
  return providerOf(`http://${host}`)
}

/** The number of different providers. */
export function countProviders(addresses: readonly string[]): number {
  return new Set(addresses.map(providerOf)).size
}

/** The provider behind a URL: two URLs of one provider are one party that can lie. */

/** A host name without port and in one spelling. On this machine each port is a separate program of the operator. */
export function providerOf(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, hostname } = new URL(address)
  return isLoopback(address) ? host : hostname.replace(/\.$/, '')
}

/** Only a chain on this machine is sure to hold no real money. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** The same for a host as a URL writes it, which is a node's name. */
export function providerOfHost(host: string): string {
  return providerOf(`http://${host}`)
}

/** The number of different providers. */
export function countProviders(addresses: readonly string[]): number {
  return new Set(addresses.map(providerOf)).size
}

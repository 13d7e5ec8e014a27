/** The provider behind a URL: two URLs of one provider are one party that can lie. */

/** A name, whatever its port and spelling. On this machine each port is another program of the operator's own. */
export function providerOf(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, hostname } = new URL(address)
  return isLoopback(address) ? host : hostname.replace(/\.$/, '')
}

/** A chain on this machine alone holds no real money. */
export function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}

/** The same of a host as a URL writes it, which is what nodes are called by. */
export function providerOfHost(host: string): string {
  return providerOf(`http://${host}`)
}

/** How many different ones there are. */
export function countProviders(addresses: readonly string[]): number {
  return new Set(addresses.map(providerOf)).size
}

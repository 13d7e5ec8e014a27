/**
 * Resolves the host of a webhook. Not by the system's resolver: it resolves a few names at a time for the whole process and
 * cannot be stopped, so names whose servers never answer would keep the service from resolving those of its own nodes.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { PrivateReach } from '../../apps/webhooks.ts'

export interface Resolved {
  address: string
  family: number
}

const QUESTION = { timeout: 2_000, tries: 2 }

/**
 * All addresses of a host; an IP address as it is. The system is asked if webhooks may reach private hosts: it knows the
 * names of this machine and of its network.
 */
export async function resolveName(host: string, reach: PrivateReach, signal: AbortSignal): Promise<Resolved[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  if (reach === 'all' || (reach === 'loopback' && /^localhost\.?$/i.test(host))) return lookup(host, { all: true })
  const resolver = new Resolver(QUESTION)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [four, six].flatMap((found, at) =>
      found.status === 'fulfilled' ? found.value.map((address) => ({ address, family: at === 0 ? 4 : 6 })) : [],
    )
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

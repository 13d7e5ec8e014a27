/** A service that has just started: whether a network has been read, and whether anything can be offered yet. */
import type { Services } from '../services.ts'
import { hasBeenRead, isKnownRead } from '../store/watch/cursors.ts'
import { starting } from './route-errors.ts'
import { namedTokens, statusOf } from './token-reachability.ts'

/** A first scan begins at the head: what was paid before it would be seen by nobody. Null where memory knows that all is well. */
export function requireReady(services: Services, network: string): Promise<void> | null {
  return isKnownRead(services.database, network) ? null : lookUp(services, network)
}

async function lookUp({ database }: Services, network: string): Promise<void> {
  if (!(await hasBeenRead(database, network))) throw starting(network)
}

/** Whether any swap at all could be made now. */
export async function offersAnything(services: Services): Promise<boolean> {
  const { database, catalogue } = services
  const tokens = namedTokens(services, undefined, undefined)
  const anyRoute = { side: 'source', withProviders: true, withProvidersByAddress: true, byAddress: false } as const
  for (const { name } of catalogue.networks) {
    const own = tokens.filter(({ network }) => network === name)
    const isOffered = own.some((token) => statusOf(services, token, tokens, anyRoute) === 'active')
    if (isOffered && (await hasBeenRead(database, name))) return true
  }
  return false
}

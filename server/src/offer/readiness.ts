/** Readiness after a start: whether a network was scanned, and whether any swap can be offered yet. */
import type { Services } from '../services.ts'
import { hasBeenRead, isKnownRead } from '../store/watch/cursors.ts'
import { clockIsWrong, starting, stopped, unconfirmed } from './route-errors.ts'
import { namedTokens, statusOf } from './token-reachability.ts'

/**
 * The first scan begins at the head, so an earlier deposit would never be seen. Null if memory knows that the network
 * was scanned.
 */
export function requireReady(services: Services, network: string): Promise<void> | null {
  if (!services.clock.isTrusted()) throw clockIsWrong()
  // While signing is stopped after a rollback, a new swap could be lost or created twice.
  if (services.signing.stopped !== null) throw stopped()
  if (services.addressBranch.branch === null) throw unconfirmed()
  return isKnownRead(services.database, network) ? null : lookUp(services, network)
}

async function lookUp({ database }: Services, network: string): Promise<void> {
  if (!(await hasBeenRead(database, network))) throw starting(network)
}

/** Whether any swap could be created now. */
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

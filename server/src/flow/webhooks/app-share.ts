/**
 * Limits how many webhook workers one app holds. Without it an app with many hanging endpoints would hold them all and
 * delay the events of every other app.
 */
import { boundedMap } from '@causeway/chain-kit'
import { readEndpointApp } from '../../store/apps/webhooks.ts'
import type { Queries } from '../../store/db/database.ts'

/** A quarter of the workers: four hanging apps are needed to delay a fifth. */
const MOST_OF_ONE_APP = 3
const MAX_REMEMBERED = 10_000

export interface AppShare {
  /** Runs the delivery, or returns false if the endpoint's app already holds its share of workers. */
  within(endpointId: string, deliver: () => Promise<void>): Promise<boolean>
}

export function createAppShare(queries: Queries): AppShare {
  /** An endpoint never changes its app. */
  const apps = boundedMap<string, string>(MAX_REMEMBERED)
  const running = new Map<string, number>()
  return {
    async within(endpointId, deliver) {
      const app = apps.get(endpointId) ?? (await readEndpointApp(queries, endpointId))
      apps.set(endpointId, app)
      const others = running.get(app) ?? 0
      if (others >= MOST_OF_ONE_APP) return false
      running.set(app, others + 1)
      try {
        await deliver()
      } finally {
        const left = (running.get(app) ?? 1) - 1
        if (left > 0) running.set(app, left)
        else running.delete(app)
      }
      return true
    },
  }
}

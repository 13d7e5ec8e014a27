/** Slow swaps on demand: payouts on a network wait for some seconds, as if an operator had paused them. */
import { clearSwitch, setSwitch } from '@causeway/server'
import { z } from 'zod'
import { type World, wrong } from './world.ts'

/** The longest delay: longer than anyone watches a page. */
const MAX_SECONDS = 3_600

export const DelayBody = z.strictObject({
  network: z.string().min(1).max(128),
  seconds: z.int().min(1).max(MAX_SECONDS).default(30),
})

export function createDelays(world: World) {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    /** The latest delay of a network replaces the earlier one. */
    async delay(network: string, seconds: number): Promise<{ network: string; until: string }> {
      const { services } = world
      if (!services) throw wrong('network', 'the service is still starting')
      const scope = `network:${network}` as const
      clearTimeout(timers.get(network))
      const reason = `delayed for ${seconds} s in the sandbox`
      await setSwitch(services.database, { scope, stops_swaps: false, stops_payouts: true, reason })
      const end = () => void clearSwitch(services.database, scope).catch(() => undefined)
      timers.set(network, setTimeout(end, seconds * 1000).unref())
      return { network, until: new Date(services.now().getTime() + seconds * 1000).toISOString() }
    },
  }
}

/**
 * The server as a child process that kills itself with SIGKILL at a chosen chain call. `CRASH_AT=after:broadcast`
 * crashes right after the first broadcast, before anything about it is stored. `after:journal` crashes when a
 * transaction is in the journal but not in the database. Without `CRASH_AT`, an ordinary server.
 */
import type { ChainAdapter, Family } from '@causeway/core'
import { loadFamily, parseConfig, startService } from '@causeway/server'

type Moment = 'before' | 'after'

const [moment, call] = (process.env.CRASH_AT ?? '').split(':') as [Moment, keyof ChainAdapter | 'journal' | undefined]
const service = await startService(parseConfig(process.env), {
  families: async (type) =>
    call && call !== 'journal' ? explosive(await loadFamily(type), moment, call) : loadFamily(type),
})
const { signing } = service.services
if (call === 'journal' && signing.orders) {
  const { sign } = signing.orders
  signing.orders.sign = async (request) => {
    await sign(request)
    die()
  }
}
process.send?.({ url: service.url, internalUrl: service.internalUrl })
process.once('SIGTERM', () => service.stop().then(() => process.exit(0)))

function explosive(family: Family, when: Moment, name: keyof ChainAdapter): Family {
  return {
    ...family,
    open: async (options) => {
      const adapter = await family.open(options)
      const original = adapter[name]
      if (typeof original !== 'function') throw new Error(`${name} is no call of an adapter`)
      const wrapped = async (...args: unknown[]) => {
        if (when === 'before') die()
        const answer: unknown = await Reflect.apply(original, adapter, args)
        if (isWorthDying(answer)) die()
        return answer
      }
      return { ...adapter, [name]: wrapped }
    },
  }
}

/** An empty scan and an unchanged status are no steps of a swap. */
function isWorthDying(answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return true
  if ('sightings' in answer && Array.isArray(answer.sightings)) return answer.sightings.length > 0
  return !('state' in answer) || answer.state === 'included'
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable: the process is dead')
}

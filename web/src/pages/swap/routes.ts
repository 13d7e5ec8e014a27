/** Loads the routes: both lists, each filtered by the choice on the other side. */
import { RequestError, type RouteNetwork } from '@causeway/sdk/light'
import { batch } from '@preact/signals'
import { client, loadSite } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { canSend } from '../../wallet/families.ts'
import type { Choice } from './logic.ts'
import { destinations, from, loadError, sources, to } from './state.ts'

let stopReading = (): void => undefined

/** The ends that a link names, as `NET:TOKEN`. */
export interface Named {
  from?: string
  to?: string
}

/**
 * Loads both lists, each filtered by the choice on the other side. Retries until they are loaded or other lists are
 * requested.
 */
export function loadRoutes(onRead: () => void = () => undefined, named: Named = {}): void {
  stopReading()
  stopReading = keepTrying(() => readRoutes(named), {
    onFound: ([s, d]) => {
      batch(() => {
        sources.value = s
        destinations.value = d
        loadError.value = null
        onRead()
      })
    },
    onProblem: (error) => (loadError.value = error),
  })
}

interface End {
  network: string
  token: string
}

/** Destinations wait for the sources only if no source is known: then the best ranked one is the start. */
async function readRoutes(named: Named): Promise<[RouteNetwork[], RouteNetwork[]]> {
  const [start, goal] = [endOf(from.value) ?? endNamed(named.from), endOf(to.value) ?? endNamed(named.to)]
  const reading = readSources(goal)
  const known = start ?? endOf(goal ? null : bestOf(await reading))
  return Promise.all([reading, readDestinations(known)])
}

const FLAGS = { include_unavailable: true, include_unmatched: true, include_swaps: true }

async function readSources(goal: End | null): Promise<RouteNetwork[]> {
  const filter = goal && { destination_network: goal.network, destination_token: goal.token }
  const [found, isSandbox] = await Promise.all([
    unlessUnknown(filter, (given) => client.sources({ ...FLAGS, ...given })),
    loadSite().then(({ isSandbox }) => isSandbox),
  ])
  return found.map((network) => ({ ...network, deposit_methods: methodsHere(network, isSandbox) }))
}

function readDestinations(start: End | null): Promise<RouteNetwork[]> {
  const filter = start && { source_network: start.network, source_token: start.token }
  return unlessUnknown(filter, (given) => client.destinations({ ...FLAGS, ...given }))
}

/** Reads a list with a filter. A link may name a token that is no longer listed: then the whole list is read. */
async function unlessUnknown<Filter extends object, Found>(
  filter: Filter | null,
  read: (filter: Filter | object) => Promise<Found>,
): Promise<Found> {
  try {
    return await read(filter ?? {})
  } catch (error) {
    if (filter && error instanceof RequestError && error.status < 429) return read({})
    throw error
  }
}

function endOf(choice: Choice | null): End | null {
  return choice && { network: choice.network.name, token: choice.token.contract ?? choice.token.symbol }
}

function endNamed(key: string | undefined): End | null {
  const [network, token] = (key ?? '').split(/:(.*)/)
  return network && token ? { network, token } : null
}

/** The token that is selected on a first visit: the best ranked one. */
export function bestOf(networks: readonly RouteNetwork[]): Choice | null {
  const [network] = [...networks].sort((a, b) => a.source_rank - b.source_rank)
  const token = network?.tokens.find(({ status }) => status === 'active')
  return network && token ? { network, token } : null
}

/**
 * The funding methods that this page offers: without browser wallets for a family, `wallet` is left out; a sandbox has
 * its own wallet.
 */
function methodsHere({ type, deposit_methods: methods }: RouteNetwork, isSandbox: boolean) {
  const others = methods.filter((name) => name !== 'wallet')
  return isSandbox || canSend(type) || others.length === 0 ? methods : others
}

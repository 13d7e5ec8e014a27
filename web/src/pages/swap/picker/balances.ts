/** The balances of the connected wallet for the picker, in dollars: read once per opening, for the best ranked tokens. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../../api/client.ts'
import { sessionFor } from '../../../wallet/session.ts'
import { type Choice, keyOf } from '../logic.ts'

export interface Held {
  amount: number
  usd: number
}

/** How many balances are read, one request each: the tokens that people hold are nearly always among the first. */
const MOST_READ = 16
const AT_ONCE = 4

export function useBalances(networks: readonly RouteNetwork[]): Readonly<Record<string, Held>> {
  const found = useSignal<Record<string, Held>>({})
  const wanted = networks
    .filter((network) => sessionFor(network) !== null)
    .flatMap((network) => network.tokens.map((token): Choice => ({ network, token })))
    .sort((a, b) => a.network.source_rank - b.network.source_rank || a.token.source_rank - b.token.source_rank)
    .slice(0, MOST_READ)
  useEffect(() => {
    const stopping = new AbortController()
    const queue = [...wanted]
    const work = async () => {
      for (let next = queue.shift(); next && !stopping.signal.aborted; next = queue.shift()) {
        const held = await read(next, stopping.signal)
        if (held && held.amount > 0) found.value = { ...found.value, [keyOf(next)]: held }
      }
    }
    for (let worker = 0; worker < AT_ONCE; worker++) void work()
    return () => stopping.abort()
  }, [wanted.map(keyOf).join()])
  return found.value
}

/** The balance of a token; null if it cannot be read: the picker works without it. */
async function read(choice: Choice, signal: AbortSignal): Promise<Held | null> {
  const { network, token } = choice
  const address = sessionFor(network)?.account.address
  if (!address) return null
  const query = { network: network.name, token: token.contract ?? token.symbol, address }
  const told = await client.balance(query, { signal }).catch(() => null)
  return told && { amount: told.amount, usd: told.amount * token.price_in_usd }
}

/** The connected account's balance of the source token and the transfer cost; polled while the page is visible. */
import type { Signal } from '@preact/signals'
import { client } from '../../../api/client.ts'
import type { Choice } from '../logic.ts'
import type { balance } from '../state.ts'

const AGAIN_MS = 15_000

export function readBalance({ network, token }: Choice, address: string, out: typeof balance): () => void {
  const stopping = new AbortController()
  const read = async () => {
    try {
      const told = await client.balance(
        { network: network.name, token: token.contract ?? token.symbol, address },
        { signal: stopping.signal },
      )
      set(out, {
        units: BigInt(told.amount_in_base_units),
        cost: BigInt(told.transfer_cost_in_base_units),
        native: BigInt(told.native_amount_in_base_units),
      })
    } catch {
      // The form works without a balance.
    }
  }
  const set = <Value>(signal: Signal<Value>, value: Value) => {
    if (!stopping.signal.aborted) signal.value = value
  }
  void read()
  const timer = setInterval(() => document.visibilityState === 'visible' && void read(), AGAIN_MS)
  return () => {
    clearInterval(timer)
    stopping.abort()
  }
}

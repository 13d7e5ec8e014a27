/**
 * The funding methods for this swap, each with its output. Requested before the review opens, so that its content does
 * not change.
 */
import type { Quoted } from '@causeway/sdk/light'
import { client } from '../../../api/client.ts'
import { sessionFor } from '../../../wallet/session.ts'
import { type Method, methodsOf } from '../logic.ts'
import { method } from '../state.ts'
import { type Reviewed, requestOf } from './ordering.ts'

export interface Offer {
  by: Method
  quoted: Quoted
}

/** Timeout for the other methods: few users need them. */
const PATIENCE_MS = 1_500

/** The chosen method is always included; methods that the service rejects are not. */
export async function offersFor(reviewed: Reviewed): Promise<Offer[]> {
  const wallet = sessionFor(reviewed.from.network)?.wallet
  const chosen = method.value
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const asked = methodsOf(reviewed.from, wallet?.signTypedData !== undefined).map(async (by): Promise<Offer[]> => {
    if (by === chosen) return [{ by, quoted: reviewed.quoted }]
    const found = client.quote(requestOf(reviewed, by), { signal })
    return found.then(
      (quoted) => [{ by, quoted }],
      () => [],
    )
  })
  return (await Promise.all(asked)).flat()
}

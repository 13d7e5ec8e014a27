/**
 * Keeps the public halves of deposit addresses ready that are still to be given out, so that a process without keys can give
 * them out. Where none are left it answers 503, and here the next ones are made.
 */
import type { ChainAdapter } from '@causeway/core'
import type { Services } from '../../services.ts'
import { lastAddressIndex } from '../../store/watch/addresses.ts'
import { sleep } from '../lib/sleep.ts'

/** Addresses that may be given out between two checks, with room for a signer that is down for a while. */
const SPARE = 200
const LOOK_MS = 5_000

type Kept = Pick<Services, 'database' | 'chains' | 'log'>

export async function fillAddressPools(services: Kept, signal: AbortSignal): Promise<void> {
  const made = new Map<string, number>()
  while (!signal.aborted) {
    for (const chain of services.chains.values()) {
      const { name } = chain.network
      await addToAddressPool(services, chain, made).catch((error) =>
        services.log.warn({ network: name, err: error }, 'failed to derive spare deposit addresses'),
      )
      if (signal.aborted) return
    }
    await sleep(LOOK_MS, signal)
  }
}

/** Deriving one also records its public key, if the family needs one. */
export async function addToAddressPool(
  { database }: Pick<Services, 'database'>,
  { network, depositAddresses }: ChainAdapter,
  made: Map<string, number>,
  spare = SPARE,
): Promise<void> {
  if (!depositAddresses) return
  const last = await lastAddressIndex(database, network.name)
  const from = Math.max(last, made.get(network.name) ?? 0) + 1
  for (let index = from; index <= last + spare; index++) {
    await depositAddresses.derive(index)
    made.set(network.name, index)
  }
}

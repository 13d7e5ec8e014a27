/**
 * Derives public keys of deposit addresses in advance, for processes without private keys. Such a process answers 503
 * if its pool is empty. A *branch* is one range of address indexes; each process start has its own.
 */
import type { ChainAdapter } from '@causeway/core'
import type { Services } from '../../services.ts'
import { keylessBranches } from '../../store/watch/address-branch.ts'
import { lastAddressIndex } from '../../store/watch/addresses.ts'
import { sleep } from '../lib/sleep.ts'

/** Enough for the addresses used between two rounds, and while the signer is unavailable for a while. */
const SPARE = 200
const LOOK_MS = 5_000
/** A branch without new addresses for this long keeps its spare keys, and gets more when it uses them. */
const ACTIVE_MS = 7 * 24 * 3_600_000

type Kept = Pick<Services, 'database' | 'chains' | 'log' | 'now'>

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

/** Deriving an address records its public key, if the family needs a key for it. `made`: how far each branch was derived. */
export async function addToAddressPool(
  { database, now }: Pick<Services, 'database' | 'now'>,
  { network: { name: network }, treasury: account, depositAddresses }: ChainAdapter,
  made: Map<string, number>,
  spare = SPARE,
): Promise<void> {
  if (!depositAddresses) return
  for (const branch of await keylessBranches(database, network, new Date(now().getTime() - ACTIVE_MS))) {
    const key = `${network} ${branch}`
    const last = await lastAddressIndex(database, { network, account, branch })
    for (let index = Math.max(last, made.get(key) ?? 0) + 1; index <= last + spare; index++) {
      await depositAddresses.derive(index, branch)
      made.set(key, index)
    }
  }
}

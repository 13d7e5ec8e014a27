/**
 * Derives public keys of deposit addresses before processes without keys need them. Such a process answers 503 if none is
 * left in its branch.
 */
import type { ChainAdapter } from '@causeway/core'
import type { Services } from '../../services.ts'
import { keylessBranches } from '../../store/watch/address-branch.ts'
import { lastAddressIndex } from '../../store/watch/addresses.ts'
import { sleep } from '../lib/sleep.ts'

/** Enough for what is given out between two rounds, and while the signer is away for a while. */
const SPARE = 200
const LOOK_MS = 5_000
/** A branch that gave out nothing for this long keeps the spare keys that it has, and gets new ones when it uses them. */
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

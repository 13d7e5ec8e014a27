/**
 * The chain families inside the signer process: they build and sign an order's transaction from the signer's own
 * network files. Nodes are asked only whether a transaction signed before can still be mined.
 */
import type { Catalogue, ChainAdapter, ChainLog, SignedBefore, Signer } from '@causeway/core'
import type { Families } from '../../catalogue/chains.ts'
import { SignerUnavailable } from '../backends/refusal.ts'
import type { Recorded } from '../orders/orders.ts'

/** The order cannot be signed; the message says why. */
export class Unsignable extends Error {
  override name = 'Unsignable'
}

export interface Adapters {
  adapterOf(network: string): Promise<ChainAdapter>
  /**
   * Whether no transaction signed in this slot can be mined any more, according to the nodes in the signer's own
   * network files.
   */
  isOver(network: string, signed: readonly Recorded[]): Promise<boolean>
}

export function openAdapters(catalogue: Catalogue, families: Families, keys: Signer, log: ChainLog): Adapters {
  const signer: Signer = {
    publicKey: (key) => keys.publicKey(key),
    sign: (...asked) =>
      keys.sign(...asked).catch((error: unknown) => {
        log.error({ err: error }, 'signer failed')
        throw new SignerUnavailable('the keys cannot be used now')
      }),
  }
  const opened = new Map<string, Promise<ChainAdapter>>()
  const adapterOf = (name: string): Promise<ChainAdapter> => {
    const network = catalogue.network(name)
    const adapter =
      opened.get(name) ??
      families(network.type).then(async (family) =>
        strict(await family.open({ network, signer, log, distrusts: true })),
      )
    opened.set(name, adapter)
    adapter.catch(() => opened.delete(name))
    return adapter
  }
  return {
    adapterOf,
    async isOver(network, signed) {
      try {
        const adapter = await adapterOf(network)
        const [first] = signed
        if (!first) return false
        if (await adapter.slotExpiry?.hasExpired(first.slot)) return true
        const signedBefore: SignedBefore = async (hash) =>
          signed.find(({ transfer }) => transfer.hash === hash)?.transfer ?? null
        const states = await Promise.all(
          signed.map(({ slot, account, transfer: { hash } }) => adapter.status({ hash, slot, account }, signedBefore)),
        )
        return states.every(({ state }) => state === 'dead')
      } catch (error) {
        // A signer may run without access to nodes. Then the slot's parts stay bound.
        log.warn({ network, err: error }, 'the signer cannot tell whether a slot is over')
        return false
      }
    },
  }
}

/** Turns a family's error into a refusal: the order is wrong, the signer works. */
function strict(adapter: ChainAdapter): ChainAdapter {
  return {
    ...adapter,
    maxSigningCost(order, slot, draft) {
      // The fences use the account's name, so a second spelling of the same wallet would get around them.
      if (order.account !== adapter.treasury) throw new Unsignable('the account is not the wallet of this network')
      try {
        return adapter.maxSigningCost(order, slot, draft)
      } catch (error) {
        throw unsignable(error)
      }
    },
    sign: (order, slot, draft) =>
      adapter.sign(order, slot, draft).catch((error: unknown) => {
        throw error instanceof SignerUnavailable ? error : unsignable(error)
      }),
  }
}

function unsignable(error: unknown): Unsignable {
  return new Unsignable(`the order cannot be signed: ${error instanceof Error ? error.message : String(error)}`)
}

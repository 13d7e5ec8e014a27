/**
 * Proves what a digest encodes: the family's own code signs the order again from its slot and draft, here, and must ask
 * for a signature of exactly this digest with exactly this key. The caller's word is not needed for anything.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  Catalogue,
  ChainAdapter,
  ChainLog,
  KeyRef,
  MaxSigningCost,
  Order,
  PreparedTransfer,
  Signer,
  Slot,
  TransferIntent,
} from '@causeway/core'
import type { Families } from '../../catalogue/chains.ts'

interface Claim {
  key: KeyRef
  digest: Uint8Array
  isProven: boolean
}

/** Ends the family's work once it has asked for what was claimed. */
class Proven extends Error {
  override name = 'Proven'
}

type Prove = (key: KeyRef, digest: Uint8Array, intent: TransferIntent) => Promise<MaxSigningCost | string>

export interface DigestVerifier {
  /** What the signature could cost at worst, or in words why the digest is not proven. */
  prove: Prove
  /** Whether nothing that was signed in this slot can land any more, by the nodes of the signer's own files alone. */
  isOver(network: string, slot: Slot): Promise<boolean>
}

export function createDigestVerifier(
  catalogue: Catalogue,
  families: Families,
  signer: Signer,
  log: ChainLog,
): DigestVerifier {
  const claims = new AsyncLocalStorage<Claim>()
  const listening: Signer = {
    publicKey: (key) => signer.publicKey(key),
    async sign(key, digest, intent) {
      const claim = claims.getStore()
      if (claim && isClaimed(claim, key, digest)) {
        claim.isProven = true
        throw new Proven()
      }
      // Another input of the same transaction: the family wants a real signature to go on, and keeps it to itself.
      return signer.sign(key, digest, intent)
    },
  }
  const opened = new Map<string, Promise<ChainAdapter>>()
  const adapterOf = (name: string): Promise<ChainAdapter> => {
    const network = catalogue.network(name)
    const adapter =
      opened.get(name) ??
      families(network.type).then((family) => family.open({ network, signer: listening, log, distrusts: true }))
    opened.set(name, adapter)
    adapter.catch(() => opened.delete(name))
    return adapter
  }
  const isOver = async (network: string, slot: Slot): Promise<boolean> => {
    try {
      return (await (await adapterOf(network)).slotExpiry?.hasExpired(slot)) ?? false
    } catch (error) {
      // A signer need not reach any node: then its slots stay bound until a person releases them.
      log.warn({ network, slot, err: error }, 'the signer could not tell whether the time of a slot is over')
      return false
    }
  }
  const prove: Prove = async (key, digest, { network, order, slot, draft }) => {
    if (draft === undefined) return 'the request does not prove what its digest encodes'
    const adapter = await adapterOf(network)
    // The fences of slots go by account: another name for the same wallet would be a second fence.
    if (order.account !== adapter.treasury) return 'the account is not the wallet of this network'
    const maxCost = maxCostOf(adapter, order, slot, draft)
    if (typeof maxCost === 'string') return maxCost
    const claim: Claim = { key, digest, isProven: false }
    const failure = await claims.run(claim, () =>
      adapter.sign(order, slot, draft).then(
        () => null,
        (error: unknown) => error,
      ),
    )
    if (claim.isProven) return maxCost
    return failure === null ? 'the digest is not that of the order' : unsignable(failure)
  }
  return { prove, isOver }
}

function maxCostOf(adapter: ChainAdapter, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost | string {
  try {
    return adapter.maxSigningCost(order, slot, draft)
  } catch (error) {
    return unsignable(error)
  }
}

function unsignable(error: unknown): string {
  return `the order cannot be signed: ${error instanceof Error ? error.message : String(error)}`
}

function isClaimed(claim: Claim, key: KeyRef, digest: Uint8Array): boolean {
  const isSameKey = claim.key.curve === key.curve && claim.key.path === key.path
  return isSameKey && Buffer.from(claim.digest).equals(digest)
}

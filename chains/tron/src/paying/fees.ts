/** The chain's prices: fixed until a vote changes them, so reading them rarely is enough. */
import { atMost } from '@causeway/chain-kit'
import type { Fees } from '@causeway/core'
import type { TronChain } from '../chain.ts'
import { type Prices, prices } from '../node/calls.ts'

const ASKED_EVERY_MS = 3_600_000
/** Sizes of signed transactions: of coins, of a token, and of a sweep of one address, with the chain's additions. */
const BYTES = { transfer: 280n, token: 350n, sweep: 700n }

export async function pricesOf(chain: TronChain, now: number = Date.now()): Promise<Prices> {
  if (chain.priced && now - chain.priced.at < ASKED_EVERY_MS) return chain.priced.prices
  const told = await chain.rpc.agreed(
    (node) => node.ask(prices()),
    (answer) => JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  )
  chain.priced = { at: now, prices: told }
  return told
}

/**
 * The fees by the more expensive case of each: the recipient has no account, or none of the token. Rented energy is
 * ignored, because it can be used up. Each part is capped at what we would sign.
 */
export async function fees(chain: TronChain): Promise<Fees> {
  const { energy, byte, newAccount } = await pricesOf(chain)
  const { tokenEnergy, sweepEnergy, maxFeeLimit, maxFlatFee } = chain.settings
  const plain = BYTES.transfer * byte
  return {
    nativeTransfer: atMost(newAccount > plain ? newAccount : plain, maxFlatFee),
    tokenTransfer: atMost(tokenEnergy * energy, maxFeeLimit) + atMost(BYTES.token * byte, maxFlatFee),
    sweep: atMost(sweepEnergy * energy, maxFeeLimit) + atMost(BYTES.sweep * byte, maxFlatFee),
  }
}

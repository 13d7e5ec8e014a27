/** Test controls over the local chain that the real one does not have. */
import type { Account, Faults, LocalChain } from './chain.ts'
import { decimal } from './decimal.ts'
import { addressIn } from './info.ts'

type Control = (chain: LocalChain, words: Readonly<Record<string, unknown>>) => unknown

export const CONTROLS: Readonly<Record<string, Control>> = {
  devnet_fund(chain, { address, index, units }) {
    chain.fund(addressIn(address), Number(index), BigInt(String(units)))
  },

  devnet_mine(chain, { blocks }) {
    chain.mine(Number(blocks))
  },

  devnet_advance(chain, { ms }) {
    chain.advance(Number(ms))
  },

  devnet_faults(chain, { faults }) {
    Object.assign(chain.faults, faults as Partial<Faults>)
  },

  /** Arrives over the bridge: no activation fee was paid for the account. */
  devnet_bridge(chain, { address, units }) {
    const to = addressIn(address)
    const { time, hash } = chain.block()
    const account = chain.born(to, false)
    account.perp += BigInt(String(units))
    account.rows.push({ time, hash, delta: { type: 'deposit', usdc: decimal(BigInt(String(units)), 6) } })
    chain.settle([to])
  },

  /** Adds an arbitrary row, and its effect on the account. */
  devnet_row(chain, { address, delta, hash: given, spot = [], perp = '0', count = 1 }) {
    const to = addressIn(address)
    const { time, hash } = chain.block()
    const account = chain.born(to, true)
    for (const [index, units] of spot as [number, string][]) chain.add(account, index, BigInt(units))
    account.perp += BigInt(String(perp))
    for (let row = 0; row < Number(count); row++) {
      account.rows.push({ time, hash: String(given ?? hash), delta: { ...(delta as Record<string, unknown>) } })
    }
    chain.settle([to])
    return { time, hash: given ?? hash }
  },

  devnet_account(chain, { address, ...changes }) {
    const account = chain.account(addressIn(address))
    const { type: _, ...wanted } = changes as Partial<Account> & { type?: unknown }
    if (account) Object.assign(account, wanted)
  },

  /** Lists another token, under any name. */
  devnet_token(chain, { name, id, index, decimals }) {
    chain.plan.tokens.push({ name: String(name), id: String(id), index: Number(index), decimals: Number(decimals) })
  },
}

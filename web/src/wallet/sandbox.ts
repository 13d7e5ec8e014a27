/** The wallet that a sandbox brings along: test accounts of its local chains, which deposit when they are told to. */
import type { Account, Wallet } from '@causeway/core/wallet'
import { ask } from '../api/client.ts'
import type { VerifiedAction } from '../api/verified.ts'
import { wallet as text } from '../text/en.ts'

interface Accounts {
  network: string
  accounts: { address: string }[]
}

const ID = 'sandbox'
let asked: Promise<Accounts[]> | null = null

export function sandboxWallet(network: string): Wallet {
  return {
    id: ID,
    name: text.sandboxName,
    icon: null,
    kind: 'sandbox',
    connect: async () => accountsOn(network),
    disconnect: async () => undefined,
    onChange: () => () => undefined,
    network: async () => null,
    switchTo: async () => undefined,
    steps: async (action) => [{ kind: 'deposit', request: action }],
    async send({ request }, account) {
      const { swap_id } = request as VerifiedAction
      const all = await accountsOn(network)
      const index = all.findIndex(({ address }) => address === account.address)
      const made = await ask<{ transaction_hash: string }>('/sandbox/deposit', { swap_id, account: Math.max(0, index) })
      return { hash: made.transaction_hash }
    },
  }
}

async function accountsOn(network: string): Promise<Account[]> {
  asked ??= ask<Accounts[]>('/sandbox/accounts')
  const found = (await asked).find((entry) => entry.network === network)
  return (found?.accounts ?? []).map(({ address }) => ({ address, wallet: ID }))
}

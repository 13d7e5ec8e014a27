/** The sandbox's wallet: test accounts on its local chains that deposit on request. */
import { type Account, type Wallet, WalletProblem } from '@causeway/core/wallet'
import { ask } from '../api/client.ts'
import type { VerifiedAction } from '../api/verified.ts'
import { wallet as text } from '../text/texts.ts'

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
    steps: async (action) => [{ kind: 'deposit', request: action }],
    async send({ request }, account) {
      const { swap_id } = request as VerifiedAction
      const made = await ask<{ transaction_hash: string }>('/sandbox/deposit', {
        swap_id,
        account: await placeOf(account, network),
      })
      return { hash: made.transaction_hash }
    },
    signTypedData: (typed_data, account) => sign(network, account, { typed_data }),
    signText: (text, account) => sign(network, account, { text }),
  }
}

async function sign(network: string, account: Account, what: object): Promise<string> {
  const place = await placeOf(account, network)
  const signed = ask<{ signature: string }>('/sandbox/sign', { network, account: place, ...what })
  return signed.then(
    ({ signature }) => signature,
    (error) => {
      throw new WalletProblem('unsupported', error)
    },
  )
}

async function placeOf({ address }: Account, network: string): Promise<number> {
  const all = await accountsOn(network)
  return Math.max(
    0,
    all.findIndex((one) => one.address === address),
  )
}

async function accountsOn(network: string): Promise<Account[]> {
  asked ??= ask<Accounts[]>('/sandbox/accounts')
  const found = (await asked).find((entry) => entry.network === network)
  return (found?.accounts ?? []).map(({ address }) => ({ address, wallet: ID }))
}

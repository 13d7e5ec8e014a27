/**
 * Wallets with the Keplr API. They have an address per chain and sign texts (ADR-036) as proof. They send nothing here:
 * a transaction needs the account's number and sequence, and the page calls only its own service, which does not offer
 * them. Deposits go to a deposit address, or carry the shown memo.
 */
import { type Account, type Wallet, type WalletNetwork, WalletProblem } from '@causeway/core/wallet'

export interface Keplr {
  enable(chainId: string): Promise<void>
  getKey(chainId: string): Promise<{ bech32Address: string }>
  signArbitrary?(chainId: string, signer: string, text: string): Promise<{ signature: string }>
}

export function isKeplr(value: unknown): value is Keplr {
  return typeof value === 'object' && value !== null && 'enable' in value && 'getKey' in value
}

/** `changed`: the page event for an account change in the wallet. */
export function walletOf(id: string, name: string, keplr: Keplr, changed: string): Wallet {
  let chain: string | null = null
  const chosen = async (chainId: string): Promise<Account> => {
    const { bech32Address: address } = await keplr.getKey(chainId)
    return { address, wallet: id }
  }
  return {
    id: `cosmos ${id}`,
    name,
    icon: null,
    kind: 'injected',
    isPerNetwork: true,
    sends: false,
    async connect(_signal, { chain_id: chainId }: WalletNetwork) {
      if (chainId === null) throw new WalletProblem('unsupported')
      await keplr.enable(chainId).catch(fail)
      const account = await chosen(chainId).catch(fail)
      chain = chainId
      return [account]
    },
    disconnect: async () => undefined,
    onChange(listener) {
      const tell = () => {
        if (chain !== null)
          void chosen(chain).then(
            (account) => listener([account]),
            () => listener([]),
          )
      }
      addEventListener(changed, tell)
      return () => removeEventListener(changed, tell)
    },
    network: async () => chain,
    steps: () => Promise.reject(new WalletProblem('unsupported')),
    send: () => Promise.reject(new WalletProblem('unsupported')),
    ...(keplr.signArbitrary && {
      async signText(text: string, { address }: Account) {
        if (chain === null) throw new WalletProblem('locked')
        const now = await chosen(chain).catch(fail)
        if (now.address !== address) throw new WalletProblem('wrong_account')
        const signed = await keplr.signArbitrary?.(chain, address, text).catch(fail)
        if (!signed) throw new WalletProblem('unsupported')
        return signed.signature
      },
    }),
  }
}

function fail(error: unknown): never {
  const { message = String(error) } = (error ?? {}) as { message?: string }
  if (/reject|denied|cancel/i.test(message)) throw new WalletProblem('rejected', error)
  if (/no chain info|unknown chain|not supported/i.test(message)) throw new WalletProblem('unsupported', error)
  throw new WalletProblem(/lock/i.test(message) ? 'locked' : 'failed', error)
}

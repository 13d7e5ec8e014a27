/**
 * Wallets with the Keplr API. They have an address per chain, sign texts (ADR-036) as proof, and sign and broadcast
 * deposits. The account's number and sequence come with the deposit action, so the page asks no node.
 */
import { type Account, type Step, type Wallet, type WalletNetwork, WalletProblem } from '@causeway/core/wallet'
import { authBytes, type Deposit, depositOf, rawBytes } from './transaction.ts'

export interface Keplr {
  enable(chainId: string): Promise<void>
  getKey(chainId: string): Promise<{ bech32Address: string; pubKey?: Uint8Array }>
  signDirect?(
    chainId: string,
    signer: string,
    document: { bodyBytes: Uint8Array; authInfoBytes: Uint8Array; chainId: string; accountNumber: bigint },
    options: { preferNoSetMemo: boolean },
  ): Promise<{ signed: { bodyBytes: Uint8Array; authInfoBytes: Uint8Array }; signature: { signature: string } }>
  /** Broadcasts through the wallet's own nodes and returns the hash. */
  sendTx?(chainId: string, transaction: Uint8Array, mode: 'sync'): Promise<Uint8Array>
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
    ...(keplr.signDirect && keplr.sendTx ? {} : { sends: false as const }),
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
    steps: async (action, { address }) => [{ kind: 'deposit', request: depositOf(action, address) }],
    send: (step) => send(keplr, step),
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

async function send(keplr: Keplr, { request }: Step): Promise<{ hash: string }> {
  const deposit = request as Deposit
  const { chainId, from, body } = deposit
  if (!keplr.signDirect || !keplr.sendTx) throw new WalletProblem('unsupported')
  const { bech32Address: now, pubKey } = await keplr.getKey(chainId).catch(fail)
  if (now !== from) throw new WalletProblem('wrong_account')
  if (!pubKey) throw new WalletProblem('unsupported')
  const accountNumber = BigInt(deposit.accountNumber)
  const document = { bodyBytes: body, authInfoBytes: authBytes(deposit, pubKey), chainId, accountNumber }
  const { signed, signature } = await keplr.signDirect(chainId, from, document, { preferNoSetMemo: true }).catch(refuse)
  // The user may choose another fee. Another memo or receiver would be a deposit that names no swap.
  if (!isSame(signed.bodyBytes, body)) throw new WalletProblem('unsupported')
  const raw = rawBytes(body, signed.authInfoBytes, fromBase64(signature.signature))
  const hash = await keplr.sendTx(chainId, raw, 'sync').catch(refuseBroadcast)
  return { hash: toHex(hash) }
}

const isSame = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, at) => byte === b[at])
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
const toHex = (bytes: Uint8Array) =>
  [...bytes]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()

/** Nothing is sent before the signature, so every error here is final. */
function refuse(error: unknown): never {
  const { message = String(error) } = (error ?? {}) as { message?: string }
  throw new WalletProblem(/reject|denied|cancel/i.test(message) ? 'rejected' : 'unsupported', error)
}

/** A node that refuses the transaction says why. After any other error it may have been sent. */
function refuseBroadcast(error: unknown): never {
  const { message = String(error) } = (error ?? {}) as { message?: string }
  if (/insufficient fee/i.test(message)) throw new WalletProblem('gas', error)
  if (/insufficient funds|smaller than/i.test(message)) throw new WalletProblem('funds', error)
  throw new WalletProblem('no_answer', error)
}

function fail(error: unknown): never {
  const { message = String(error) } = (error ?? {}) as { message?: string }
  if (/reject|denied|cancel/i.test(message)) throw new WalletProblem('rejected', error)
  if (/no chain info|unknown chain|not supported/i.test(message)) throw new WalletProblem('unsupported', error)
  throw new WalletProblem(/lock/i.test(message) ? 'locked' : 'failed', error)
}

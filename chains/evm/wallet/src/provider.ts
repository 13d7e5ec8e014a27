/**
 * A wallet with EIP-1193: connects, switches the network, approves exactly the amount, and sends the call data
 * verbatim.
 */
import {
  type Account,
  type Step,
  type Wallet,
  type WalletAction,
  type WalletNetwork,
  WalletProblem,
  type WalletProblemCode,
} from '@causeway/core/wallet'
import { checksummed } from './address.ts'
import { allowanceData, approvalOf, approveData } from './approval.ts'
import { nameOf } from './names.ts'

export interface Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>
  on?(event: string, listener: (value: never) => void): void
  removeListener?(event: string, listener: (value: never) => void): void
}

interface Call {
  to: string
  data: string | undefined
  value: string
  chainId: string | null
  /** Set if a gas estimate might not see the new allowance yet. */
  gas?: string
}

export function walletOf(id: string, name: string, icon: string | null, provider: Provider): Wallet {
  const ask = (method: string, params: unknown[] = []) =>
    provider.request({ method, params }).catch((error) => {
      throw new WalletProblem(problemOf(error), error)
    })
  const accountsOf = (given: unknown): Account[] =>
    (Array.isArray(given) ? given : []).map((address) => ({ address: checksummed(String(address)), wallet: id }))
  const chain = async () => BigInt(String(await ask('eth_chainId'))).toString()

  return {
    id,
    name,
    icon,
    kind: 'injected',
    connect: async () => {
      const accounts = accountsOf(await ask('eth_requestAccounts'))
      if (accounts.length === 0) throw new WalletProblem('locked')
      return accounts
    },
    disconnect: async () => undefined,
    onChange(listener) {
      const hear = (given: never) => listener(accountsOf(given))
      provider.on?.('accountsChanged', hear)
      return () => provider.removeListener?.('accountsChanged', hear)
    },
    network: chain,
    nameOf,
    async switchTo(network) {
      const chainId = hex(BigInt(network.chain_id ?? '0'))
      try {
        await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
      } catch (error) {
        // 4902: the wallet does not know this network.
        if (codeOf(error) !== 4902) throw new WalletProblem(problemOf(error), error)
        await ask('wallet_addEthereumChain', [described(network, chainId)])
      }
    },
    async steps(action, account) {
      const deposit: Step = { kind: 'deposit', request: callOf(action) }
      const approval = approvalOf(action)
      if (!approval) return [deposit]
      const chainId = action.network.chain_id
      // The allowance is read from the wallet's own node, so it must be on the right network.
      if (chainId !== null && (await chain()) !== chainId) throw new WalletProblem('wrong_network')
      const reading = { to: approval.token, data: allowanceData(approval, account.address) }
      const allowed = BigInt(String(await ask('eth_call', [reading, 'latest'])))
      if (allowed >= approval.units) return [deposit]
      const approve = (units: bigint): Step => ({
        kind: 'approve',
        request: { to: approval.token, data: approveData(approval, units), value: '0x0', chainId } satisfies Call,
      })
      // Some tokens reject changing one non-zero allowance to another: reset it first.
      return [...(allowed > 0n ? [approve(0n)] : []), approve(approval.units), deposit]
    },
    async send({ kind, request }, account) {
      const { to, data, value, chainId, gas } = request as Call
      if (chainId !== null && (await chain()) !== chainId) throw new WalletProblem('wrong_network')
      const current = accountsOf(await ask('eth_accounts'))
      if (!current.some(({ address }) => address === account.address)) throw new WalletProblem('wrong_account')
      const transaction = { from: account.address, to, value, ...(data ? { data } : {}), ...(gas ? { gas } : {}) }
      const hash = String(await ask('eth_sendTransaction', [transaction]))
      if (kind === 'approve') await landed(ask, hash)
      return { hash }
    },
    signTypedData: async (data, account) =>
      String(await ask('eth_signTypedData_v4', [account.address, JSON.stringify(data)])),
    signText: async (text, account) => String(await ask('personal_sign', [hexText(text), account.address])),
  }
}

function callOf(action: WalletAction): Call {
  const { to_address: to, call_data: data, amount_in_base_units: units, network, gas_limit: gas } = action
  const call = { to, data: data ?? undefined, value: hex(BigInt(units)), chainId: network.chain_id }
  return gas === null ? call : { ...call, gas: hex(BigInt(gas)) }
}

const LOOK_AGAIN_MS = 1_000

/** Waits until an approval is mined; the caller has its own timeout. */
async function landed(ask: (method: string, params: unknown[]) => Promise<unknown>, hash: string): Promise<void> {
  for (;;) {
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as { status?: string } | null
    if (receipt?.status === '0x0') throw new WalletProblem('failed')
    if (receipt) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

function described({ display_name, nodes, token, transaction_explorer_template }: WalletNetwork, chainId: string) {
  const { symbol, decimals } = token
  const explorer = URL.canParse(transaction_explorer_template) ? [new URL(transaction_explorer_template).origin] : []
  return {
    chainId,
    chainName: display_name,
    rpcUrls: nodes,
    nativeCurrency: { name: symbol, symbol, decimals },
    blockExplorerUrls: explorer,
  }
}

function problemOf(error: unknown): WalletProblemCode {
  const code = codeOf(error)
  if (code === 4001) return 'rejected'
  if (code === 4100) return 'locked'
  if (code === -32002) return 'busy'
  if (code === 4900 || code === 4901) return 'wrong_network'
  if (code === 4200 || code === -32601) return 'unsupported'
  const text = error instanceof Error ? error.message : String((error as { message?: unknown })?.message ?? '')
  if (/insufficient funds/i.test(text)) return 'gas'
  if (/exceeds balance/i.test(text)) return 'funds'
  return 'failed'
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`
}

function hexText(text: string): string {
  return `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

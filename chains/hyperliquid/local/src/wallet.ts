/** A user's wallet: signs an action with the account's key, posts it, and finds its ledger row for the hash. */
import {
  type Address,
  type Devnet,
  formatDecimal,
  RetryLater,
  type TestAccount,
  type Token,
  type TxHash,
} from '@causeway/core'
import { hexToBytes } from '@noble/hashes/utils.js'
import { ledgerPage, networkTime } from '../../src/node/calls.ts'
import type { Call, Node } from '../../src/node/node.ts'
import { digestOf, signDigest } from './eip712.ts'

export interface WalletChain {
  node: Node
  chain: 'Mainnet' | 'Testnet'
  /** Token names in actions, by contract; null for the native token. */
  wires: ReadonlyMap<string | null, string>
}

const SIGNATURE_CHAIN_ID = '0xa4b1'

export function openWallets(chainOf: (network: string) => WalletChain): Pick<Devnet, 'deposit' | 'transfer'> {
  const newest = new Map<string, number>()

  async function nonceFor(node: Node, address: Address): Promise<number> {
    const now = await node.ask(networkTime())
    const nonce = Math.max(now, (newest.get(address) ?? 0) + 1)
    newest.set(address, nonce)
    return nonce
  }

  async function send(
    { address, secret }: TestAccount,
    { network, contract, decimals }: Token,
    to: Address,
    units: bigint,
    type: 'sendAsset' | 'spotSend',
  ): Promise<TxHash> {
    const { node, chain, wires } = chainOf(network)
    const nonce = await nonceFor(node, address)
    const words = {
      ...{ type, signatureChainId: SIGNATURE_CHAIN_ID, hyperliquidChain: chain, destination: to.toLowerCase() },
      ...{ token: wires.get(contract), amount: formatDecimal(units, decimals) },
    }
    const action =
      type === 'sendAsset'
        ? { ...words, sourceDex: 'spot', destinationDex: 'spot', fromSubAccount: '', nonce }
        : { ...words, time: nonce }
    const signature = signDigest(digestOf(action), hexToBytes(secret.slice(2)))
    const refused = await node.post({ action, nonce, signature })
    if (refused !== null) throw new RetryLater(refused)
    return hashOf(node, address, nonce)
  }

  return {
    deposit: (account, token, { toAddress, units }) => send(account, token, toAddress, units, 'sendAsset'),
    transfer: (account, token, to, units) => send(account, token, to, units, 'spotSend'),
  }
}

async function hashOf(node: Node, address: Address, nonce: number): Promise<TxHash> {
  for (let tries = 0; tries < 100; tries++) {
    const rows = await node.ask(ledgerPage(address, nonce - 60_000, null))
    const found = rows.find(({ delta }) => delta.nonce === nonce && String(delta.user) === address.toLowerCase())
    if (found) return found.hash
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new RetryLater('the transfer does not show in the ledger')
}

export function control(type: string, words: Record<string, unknown> = {}): Call<unknown> {
  return { body: { type, ...words }, read: (answer) => answer }
}

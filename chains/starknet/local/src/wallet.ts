/** Actions of users' wallets on a local chain: plain transfers, and deposits exactly as instructed. */
import type { Devnet, TestAccount, TxHash } from '@causeway/core'
import { sign } from '@scure/starknet'
import { bytes32, padded } from '../../src/felt.ts'
import { balanceOf, header, nonceAt, receipt, send } from '../../src/node/calls.ts'
import { type Node, Refusal } from '../../src/node/node.ts'
import { transferCall } from '../../src/paying/order.ts'
import { type ContractCall, encodeCalls, invokeHash, invokeJson } from '../../src/transaction.ts'

export interface WalletChain {
  node: Node
  chainId: bigint
  feeToken: bigint
  /** The gas limit of a transaction. */
  l2Gas: bigint
}

export interface Wallets extends Pick<Devnet, 'deposit' | 'transfer' | 'balance'> {
  /** Signs and sends, and returns the hash once the transaction is in a block, whatever its result. */
  send(account: TestAccount, network: string, calls: readonly ContractCall[]): Promise<TxHash>
}

const RECEIPT_TIMEOUT_MS = 60_000
const RECEIPT_POLL_MS = 10
const DATA_GAS = 10_000n

export interface WalletOptions {
  chainOf(network: string): WalletChain
  /** Calls by which a wallet of this kind first withdraws this amount from the exchange; absent if none are needed. */
  before?(network: string, units: bigint): ContractCall[]
}

export function openWallets({ chainOf, before }: WalletOptions): Wallets {
  const turns = new Map<string, Promise<unknown>>()

  /** One account's transactions on one chain go out one after the other, so that each gets its own nonce. */
  function sendFrom(account: TestAccount, network: string, calls: readonly ContractCall[]): Promise<TxHash> {
    const key = `${network} ${account.address}`
    const work = () => sendNow(chainOf(network), account, calls)
    const result = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, result)
    return result
  }

  const contractOf = ({ network, contract }: { network: string; contract: string | null }) =>
    contract === null ? chainOf(network).feeToken : BigInt(contract)

  return {
    send: sendFrom,
    async deposit(account, { network }, { callData, units }) {
      const calls: WireCall[] = JSON.parse(callData ?? '[]')
      return sendFrom(account, network, [...(before?.(network, units) ?? []), ...calls.map(readCall)])
    },
    transfer: (account, token, to, units) =>
      sendFrom(account, token.network, [
        ...(before?.(token.network, units) ?? []),
        transferCall(contractOf(token), to, units),
      ]),
    async balance(token, address) {
      const [units] = await chainOf(token.network).node.ask([balanceOf(contractOf(token), address, 'latest')])
      return units
    },
  }
}

interface WireCall {
  contractAddress: string
  entrypoint: string
  calldata: string[]
}

function readCall({ contractAddress, entrypoint, calldata }: WireCall): ContractCall {
  return { to: BigInt(contractAddress), entrypoint, calldata: calldata.map(BigInt) }
}

async function sendNow(
  { node, chainId, l2Gas }: WalletChain,
  { address, secret }: TestAccount,
  calls: readonly ContractCall[],
): Promise<TxHash> {
  const [{ prices }, nonce] = await node.ask([header('latest'), nonceAt(address, 'latest')])
  const invoke = {
    sender: BigInt(address),
    calldata: encodeCalls(calls),
    nonce,
    tip: 0n,
    bounds: {
      l1Gas: { amount: 0n, price: prices.l1Gas },
      l1DataGas: { amount: DATA_GAS, price: prices.l1DataGas * 2n },
      l2Gas: { amount: l2Gas, price: prices.l2Gas * 2n },
    },
  }
  const hash = invokeHash(chainId, invoke)
  const { r, s } = sign(bytes32(hash), secret)
  await node.ask([send(invokeJson(invoke, [r, s]))])
  return inBlock(node, padded(hash))
}

async function inBlock(node: Node, hash: TxHash): Promise<TxHash> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  while (Date.now() < deadline) {
    const [found] = await node.settle([receipt(hash)])
    if (!(found instanceof Refusal) && found.block) return hash
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
  throw new Error(`transaction ${hash} did not get into a block`)
}

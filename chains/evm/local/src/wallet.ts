/** Actions of users' wallets on a chain: plain transfers, deposits exactly as instructed, and signed texts. */
import { Depository } from '@causeway/contracts'
import type { Devnet, TestAccount, TxHash } from '@causeway/core'
import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, toFunctionSelector } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { encodeTransfer } from '../../src/depositing/deposit.ts'
import { digestOf, type TypedData } from '../../src/depositing/typed-data.ts'
import { estimateGas, gasPrice, hex, receipt, send } from '../../src/node/calls.ts'
import type { Call, Node } from '../../src/node/node.ts'
import { unitsOf } from '../../src/paying/balance.ts'

const RECEIPT_TIMEOUT_MS = 60_000
const RECEIPT_POLL_MS = 10
const MOST_TIP = 1_000_000_000n

export interface WalletChain {
  node: Node
  chainId: number
}

interface Request {
  to: string
  value: bigint
  data: Hex
}

export interface Wallets extends Pick<Devnet, 'deposit' | 'sign' | 'signText' | 'transfer' | 'balance'> {
  /** Signs and sends, and returns the hash once the transaction is in a block. */
  send(account: TestAccount, network: string, request: Request): Promise<TxHash>
}

export function openWallets(chainOf: (network: string) => WalletChain): Wallets {
  const turns = new Map<string, Promise<unknown>>()

  /** One account's transactions on one chain go out one after the other, so that each gets its own nonce. */
  function sendFrom(account: TestAccount, network: string, request: Request): Promise<TxHash> {
    const key = `${network} ${account.address}`
    const work = () => sendNow(chainOf(network), account, request)
    const result = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, result)
    return result
  }

  return {
    send: sendFrom,
    async deposit(account, token, { toAddress, units, callData }) {
      const data = (callData ?? '0x') as Hex
      const approval = approvalFor(toAddress, data)
      if (approval) await sendFrom(account, token.network, approval)
      return sendFrom(account, token.network, { to: toAddress, value: units, data })
    },
    sign: async ({ secret }, typedData) => signTypedText(secret as Hex, typedData),
    signText: ({ secret }, text) => privateKeyToAccount(secret as Hex).signMessage({ message: text }),
    transfer: (account, token, to, units) =>
      token.contract === null
        ? sendFrom(account, token.network, { to, value: units, data: '0x' })
        : sendFrom(account, token.network, { to: token.contract, value: 0n, data: encodeTransfer(to, units) }),
    balance: (token, address) => unitsOf(chainOf(token.network).node, address, token),
  }
}

/** The token approval that a wallet sends before it deposits through the Depository; null if none is needed. */
function approvalFor(spender: string, data: Hex): Request | null {
  if (!data.startsWith(DEPOSIT_SELECTOR)) return null
  const { args } = decodeFunctionData({ abi: Depository.abi, data })
  const [, token, , amount] = args as readonly [Hex, Hex, Hex, bigint]
  const call = { abi: erc20Abi, functionName: 'approve', args: [spender as Hex, amount] } as const
  return { to: token, value: 0n, data: encodeFunctionData(call) }
}

const DEPOSIT_SELECTOR = toFunctionSelector('depositERC20(bytes32,address,address,uint256)')

function signTypedText(secret: Hex, typedData: Record<string, unknown>): Promise<string> {
  const text = typedData as unknown as TypedData
  return sign({ hash: digestOf(text), privateKey: secret, to: 'hex' })
}

async function sendNow({ node, chainId }: WalletChain, account: TestAccount, request: Request): Promise<TxHash> {
  const { address: from, secret } = account
  const { to, value, data } = request
  const pending: Call<number> = { method: 'eth_getTransactionCount', params: [from, 'pending'], read: Number }
  const estimating = estimateGas({ from, to, value: hex(value), data })
  const [nonce, price, estimate] = await node.ask([pending, gasPrice(), estimating])
  const maxFeePerGas = price * 2n
  const maxPriorityFeePerGas = maxFeePerGas < MOST_TIP ? maxFeePerGas : MOST_TIP
  const fees = { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas } as const
  const transaction = { ...fees, to: to as Hex, chainId, nonce, value, data, gas: (estimate * 5n) / 4n }
  const [hash] = await node.ask([send(await privateKeyToAccount(secret as Hex).signTransaction(transaction))])
  await inBlock(node, hash)
  return hash
}

async function inBlock(node: Node, hash: TxHash): Promise<void> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  while (Date.now() < deadline) {
    const [found] = await node.ask([receipt(hash)])
    if (found) return
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
  throw new Error(`transaction ${hash} did not get into a block`)
}

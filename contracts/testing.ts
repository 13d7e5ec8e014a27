/** Helpers of the contract tests: an in-process chain, accounts with and without money, and short calls. */
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  createPublicClient,
  createWalletClient,
  custom,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  type Log,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { LocalChainError, openLocalChain } from '../chains/evm/local/src/engine.ts'
import { TestToken } from './artifacts.ts'

export const COIN: Address = zeroAddress
const GAS = 3_000_000n

export function newAccount(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey())
}

export type Bench = Awaited<ReturnType<typeof openBench>>

export interface Outcome {
  /** Null on success; otherwise the name of the error, or the token's own message. */
  failure: string | null
  gasUsed: bigint
  events: { name: string; args: unknown }[]
}

/** A chain on which these accounts have plenty of coins. */
export async function openBench(rich: readonly PrivateKeyAccount[]) {
  const genesis = rich.map(({ address }) => ({ address, balance: 10n ** 24n }))
  const chain = await openLocalChain({ chainId: BigInt(hardhat.id), autoMine: true, genesis, ownedKeys: [] })
  const transport = custom({ request: ({ method, params }) => chain.request(method, params) }, { retryCount: 0 })
  const reader = createPublicClient({ chain: hardhat, transport, pollingInterval: 1, cacheTime: 0 })
  const wallet = createWalletClient({ chain: hardhat, transport })
  const [operator] = rich
  if (!operator) throw new Error('a deployer account is required')

  async function deploy(contract: { abi: Abi; bytecode: Hex }, args: readonly unknown[] = []): Promise<Address> {
    const hash = await wallet.deployContract({ ...contract, args, account: operator as PrivateKeyAccount })
    const { contractAddress, status } = await reader.waitForTransactionReceipt({ hash })
    if (!contractAddress || status !== 'success') throw new Error('nothing was deployed')
    return getAddress(contractAddress)
  }

  /** Sends a transaction, whether or not it succeeds. */
  async function run<const A extends Abi>(
    account: PrivateKeyAccount,
    call: { to: Address; abi: A; name: string; args?: readonly unknown[]; value?: bigint },
  ): Promise<Outcome> {
    const { to, abi, name, args = [], value = 0n } = call
    const data = encodeFunctionData({ abi: abi as Abi, functionName: name, args: args as ContractFunctionArgs<Abi> })
    const failure = await failureOf(abi, { from: account.address, to, data, value })
    const hash = await wallet.sendTransaction({ account, to, data, value, gas: GAS })
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if ((receipt.status === 'success') !== (failure === null)) throw new Error('simulation and chain disagree')
    return { failure, gasUsed: receipt.gasUsed, events: eventsOf(abi, receipt.logs, to) }
  }

  async function failureOf(abi: Abi, call: { from: Address; to?: Address; data: Hex; value: bigint }) {
    try {
      const value = `0x${call.value.toString(16)}`
      await chain.request('eth_call', [{ ...call, value, gas: `0x${GAS.toString(16)}` }, 'latest'])
      return null
    } catch (error) {
      if (error instanceof LocalChainError) return wordsOf(abi, error)
      throw error
    }
  }

  return {
    chain,
    reader,
    deploy,
    run,
    deployFailure: ({ abi, bytecode }: { abi: Abi; bytecode: Hex }, args: readonly unknown[]) =>
      failureOf(abi, { from: operator.address, data: encodeDeployData({ abi, bytecode, args }), value: 0n }),
    balance: (token: Address, owner: Address) =>
      token === COIN
        ? reader.getBalance({ address: owner })
        : reader.readContract({ address: token, abi: TestToken.abi, functionName: 'balanceOf', args: [owner] }),
    mint: (token: Address, to: Address, amount: bigint) =>
      run(operator, { to: token, abi: TestToken.abi, name: 'mint', args: [to, amount] }),
    approve: (account: PrivateKeyAccount, token: Address, spender: Address, amount: bigint) =>
      run(account, { to: token, abi: TestToken.abi, name: 'approve', args: [spender, amount] }),
  }
}

function wordsOf(abi: Abi, { data, message }: LocalChainError): string {
  const bytes = typeof data === 'string' ? data : (data as { data?: string } | undefined)?.data
  if (typeof bytes !== 'string' || bytes.length < 10) return message
  try {
    const { errorName, args } = decodeErrorResult({ abi, data: bytes as Hex })
    return errorName === 'Error' ? String(args?.[0]) : errorName
  } catch {
    return bytes.slice(0, 10)
  }
}

function eventsOf(abi: Abi, logs: Log[], by: Address): Outcome['events'] {
  const own = logs.filter(({ address }) => getAddress(address) === by)
  return parseEventLogs({ abi, logs: own }).map(({ eventName, args }) => ({ name: eventName as string, args }))
}

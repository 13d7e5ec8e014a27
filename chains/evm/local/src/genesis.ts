/** Genesis of a local chain: funded accounts, the listed tokens, our contracts. */
import { AuthorizingToken, PermitToken, TestToken } from '@causeway/contracts'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { depositoryAddress, depositoryDeployment, paymasterDeployment } from '../../src/depositing/depository.ts'
import { DEPLOYMENT_PROXY, factoryDeployment } from '../../src/depositing/forwarder.ts'
import type { GenesisAccount, LocalChain } from './engine.ts'
import type { PoolPlan } from './pools.ts'

/** Plain data, because it is sent to another process. */
export interface ChainPlan {
  chainId: string
  tokens: { contract: Hex; name: string; symbol: string; decimals: number }[]
  treasury: Hex | null
  accounts: Hex[]
  deployerKey: Hex
  /** The block interval; empty blocks are mined, too. */
  blockMs: number
  /** The contract that the network's fee model asks for the data price; null if none. */
  oracle: Hex | null
  /** The pools to open. */
  pools: PoolPlan[]
}

const NATIVE_GIFT = 10_000n * 10n ** 18n
const TOKEN_GIFT = 1_000_000n
/** Code that returns zero for every call: a local chain has no L1. */
const ORACLE_CODE = '0x60206000f3'
/**
 * The deployment proxy's code: takes a salt and code, and returns the address. The same bytecode as on public chains.
 */
const PROXY_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

export function genesisOf(plan: ChainPlan): GenesisAccount[] {
  const funded = [...plan.accounts, privateKeyToAddress(plan.deployerKey)]
  return [
    ...funded.map((address) => ({ address, balance: NATIVE_GIFT })),
    { address: DEPLOYMENT_PROXY, code: PROXY_CODE },
    ...(plan.oracle ? [{ address: plan.oracle, code: ORACLE_CODE }] : []),
    ...plan.tokens.map(({ contract, symbol }) => ({ address: contract, code: codeOf(symbol) })),
  ]
}

/**
 * The test token's code for a symbol, one of each kind: the dollar coin accepts EIP-3009 authorizations, another token
 * permits, the rest neither.
 */
function codeOf(symbol: string): string {
  if (symbol === 'USDC') return AuthorizingToken.deployedBytecode
  return symbol === 'DAI' ? PermitToken.deployedBytecode : TestToken.deployedBytecode
}

type Give = (engine: LocalChain, token: Hex | null, address: Hex, units: bigint) => Promise<void>

/** Sends the deployment transactions, which wait for the first block. */
export async function setUp(engine: LocalChain, plan: ChainPlan, give: Give): Promise<void> {
  const from = privateKeyToAddress(plan.deployerKey)
  for (const { contract, name, symbol, decimals } of plan.tokens) {
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'init', args: [name, symbol, decimals] })
    await engine.request('eth_sendTransaction', [{ from, to: contract, data, gas: SET_UP_GAS }])
    for (const account of plan.accounts) await give(engine, contract, account, TOKEN_GIFT * 10n ** BigInt(decimals))
  }
  if (plan.treasury) {
    const { treasury } = plan
    const depository = depositoryAddress(treasury, treasury)
    for (const deployment of [
      factoryDeployment(treasury),
      depositoryDeployment(treasury, treasury),
      paymasterDeployment(treasury, depository),
    ]) {
      await engine.request('eth_sendTransaction', [{ from, ...deployment, gas: SET_UP_GAS }])
    }
  }
}

/**
 * Gas limit of each deployment: enough for the largest contract (the Depository), and small enough that all fit into
 * the first block.
 */
const SET_UP_GAS = '0x200000'

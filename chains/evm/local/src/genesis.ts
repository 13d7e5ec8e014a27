/** Genesis of a local chain: funded accounts, the listed tokens, our contracts. */
import { AuthorizingToken, PermitToken, TestToken } from '@causeway/contracts'
import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { depositoryAddress, depositoryDeployment, paymasterDeployment } from '../../src/depositing/depository.ts'
import { DEPLOYMENT_PROXY, factoryDeployment } from '../../src/depositing/forwarder.ts'
import type { GenesisAccount, LocalChain } from './engine.ts'

/** Plain data: it is sent to another process. */
export interface ChainPlan {
  chainId: string
  tokens: { contract: Hex; name: string; symbol: string; decimals: number }[]
  treasury: Hex | null
  accounts: Hex[]
  deployerKey: Hex
  /** The block interval, with or without transactions. */
  blockMs: number
  /** The contract that the network's fee model queries for the data price. */
  oracle: Hex | null
}

const NATIVE_GIFT = 10_000n * 10n ** 18n
const TOKEN_GIFT = 1_000_000n
/** Returns zero for every call: there is no L1. */
const ORACLE_CODE = '0x60206000f3'
/** Takes a salt and code, and returns the address. The same bytecode as on public chains. */
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
 * One of each kind. As on public chains, the dollar coin accepts authorizations, another accepts permits, the rest
 * neither.
 */
function codeOf(symbol: string): string {
  if (symbol === 'USDC') return AuthorizingToken.deployedBytecode
  return symbol === 'DAI' ? PermitToken.deployedBytecode : TestToken.deployedBytecode
}

type Give = (engine: LocalChain, token: Hex | null, address: Hex, units: bigint) => Promise<void>

/** The transactions wait for the first block. */
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

/** Enough for the largest of them, the Depository; so that all fit into the first block. */
const SET_UP_GAS = '0x200000'

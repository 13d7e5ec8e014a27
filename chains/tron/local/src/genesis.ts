/** Genesis of a local chain: funded accounts, the listed tokens, our contracts for this treasury. */
import { Depository, ForwarderFactory, TestToken, TronDollar } from '@causeway/contracts'
import { concat, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem'
import type { Vm } from './vm.ts'

/** Plain data, because it is sent to another process. Addresses have 42 digits. */
export interface ChainPlan {
  genesis: string
  tokens: { contract: string; name: string; symbol: string; decimals: number }[]
  treasury: string | null
  factory: string | null
  depository: string | null
  fundings: { token: string | null; address: string; units: string }[]
  /** The block interval; empty blocks are mined, too. */
  blockMs: number
}

const SETTER = '0x5e77e45e77e45e77e45e77e45e77e45e77e45e77'
const PLENTY = 1_000_000n

export async function setUp(vm: Vm, { tokens, treasury, factory, depository }: ChainPlan): Promise<void> {
  for (const { contract, name, symbol, decimals } of tokens) {
    // The dollar coin has a contract with special behaviour.
    const { deployedBytecode } = symbol === 'USDT' ? TronDollar : TestToken
    await vm.setCode(evmOf(contract), deployedBytecode)
    const data = encodeFunctionData({ abi: TestToken.abi, functionName: 'init', args: [name, symbol, decimals] })
    await vm.run(SETTER, evmOf(contract), data, 0n, PLENTY)
  }
  if (treasury === null) return
  const owner = evmOf(treasury)
  if (factory !== null) {
    const args = encodeAbiParameters([{ type: 'address' }, { type: 'bytes1' }], [owner, '0x41'])
    await vm.create(evmOf(factory), owner, concat([ForwarderFactory.bytecode, args]))
  }
  if (depository !== null) {
    const args = encodeAbiParameters([{ type: 'address' }, { type: 'address[]' }], [owner, [owner]])
    await vm.create(evmOf(depository), owner, concat([Depository.bytecode, args]))
  }
}

function evmOf(address: string): Hex {
  return `0x${address.slice(2)}`
}

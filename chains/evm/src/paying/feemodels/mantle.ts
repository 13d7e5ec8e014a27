/**
 * Mantle: the OP stack's oracle, but its data price is in ether while gas is paid in MNT. The oracle has the ratio too.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { FeeModel } from './model.ts'
import { OP_STACK_ORACLE, opStackFees } from './opstack.ts'
import { needed, question } from './oracle.ts'

const ABI = parseAbi(['function tokenRatio() view returns (uint256)'])

export const mantle: FeeModel = {
  oracle: OP_STACK_ORACLE,
  async apart(node, weights) {
    const data = encodeFunctionData({ abi: ABI, functionName: 'tokenRatio' })
    const [[ratio], fees] = await Promise.all([
      node.settle([question(OP_STACK_ORACLE, data)]),
      opStackFees(node, weights),
    ])
    const perEther = needed(ratio, OP_STACK_ORACLE)
    return fees.map((fee) => fee.data * perEther + fee.operator)
  },
  // Like the OP stack's default, at about four thousand MNT per ether.
  maxByteGwei: 32_000_000,
  maxLayerGas: 0,
}

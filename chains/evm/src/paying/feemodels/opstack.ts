/**
 * The OP stack: data bytes are charged separately, by an oracle at the same address on every such chain. Since Isthmus
 * an operator may charge an additional fee on the gas.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { Node } from '../../node/node.ts'
import type { FeeModel, Weight } from './model.ts'
import { answered, incompressible, needed, question } from './oracle.ts'

export const OP_STACK_ORACLE = '0x420000000000000000000000000000000000000F'
const ABI = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getL1Fee(bytes data) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
])

export const opStack: FeeModel = {
  oracle: OP_STACK_ORACLE,
  async apart(node, weights) {
    const parts = await opStackFees(node, weights)
    return parts.map(({ data, operator }) => data + operator)
  },
  // Sixteen gas per byte at 500 gwei on L1, which is rarely seen.
  maxByteGwei: 8_000,
  maxLayerGas: 0,
}

/** The data fee and the operator fee, which is zero before Isthmus. */
export async function opStackFees(
  node: Node,
  weights: readonly Weight[],
): Promise<{ data: bigint; operator: bigint }[]> {
  const asked = weights.flatMap(({ size, gas }) => [
    ask(encodeFunctionData({ abi: ABI, functionName: 'getL1FeeUpperBound', args: [BigInt(size)] })),
    ask(encodeFunctionData({ abi: ABI, functionName: 'getOperatorFee', args: [gas] })),
  ])
  const answers = await node.settle(asked)
  return Promise.all(
    weights.map(async ({ size }, index) => {
      const [bound = '0x', operator = '0x'] = answers.slice(2 * index)
      return { data: answered(bound) ?? (await beforeFjord(node, size)), operator: answered(operator) ?? 0n }
    }),
  )
}

/** The data fee of oracles before Fjord, which have no function for an upper bound: they get sample bytes. */
async function beforeFjord(node: Node, size: number): Promise<bigint> {
  const [answer] = await node.settle([
    ask(encodeFunctionData({ abi: ABI, functionName: 'getL1Fee', args: [incompressible(size)] })),
  ])
  return needed(answer, OP_STACK_ORACLE)
}

const ask = (data: `0x${string}`) => question(OP_STACK_ORACLE, data)

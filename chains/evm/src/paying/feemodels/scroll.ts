/**
 * Scroll: like the OP stack, with its own oracle that needs the bytes. It does not compress them, so it returns an
 * upper bound.
 */
import { encodeFunctionData, parseAbi } from 'viem'
import type { FeeModel } from './model.ts'
import { incompressible, needed, question } from './oracle.ts'

const ORACLE = '0x5300000000000000000000000000000000000002'
const ABI = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

export const scroll: FeeModel = {
  oracle: ORACLE,
  async apart(node, weights) {
    const answers = await node.settle(
      weights.map(({ size }) =>
        question(ORACLE, encodeFunctionData({ abi: ABI, functionName: 'getL1Fee', args: [incompressible(size)] })),
      ),
    )
    return answers.map((answer) => needed(answer, ORACLE))
  },
  maxByteGwei: 8_000,
  maxLayerGas: 0,
}

/**
 * Scroll and Morph: like the OP stack, with their own oracles that need the bytes. They do not compress them, so they
 * return an upper bound.
 */
import type { Address } from '@causeway/core'
import { encodeFunctionData, parseAbi } from 'viem'
import type { FeeModel } from './model.ts'
import { incompressible, needed, question } from './oracle.ts'

const ABI = parseAbi(['function getL1Fee(bytes data) view returns (uint256)'])

export const scroll = withOracle('0x5300000000000000000000000000000000000002')
/** The predeploy GasPriceOracle, as Morph's documentation lists it. */
export const morph = withOracle('0x530000000000000000000000000000000000000F')

function withOracle(oracle: Address): FeeModel {
  return {
    oracle,
    async apart(node, weights) {
      const answers = await node.settle(
        weights.map(({ size }) =>
          question(oracle, encodeFunctionData({ abi: ABI, functionName: 'getL1Fee', args: [incompressible(size)] })),
        ),
      )
      return answers.map((answer) => needed(answer, oracle))
    },
    maxByteGwei: 8_000,
    maxLayerGas: 0,
  }
}

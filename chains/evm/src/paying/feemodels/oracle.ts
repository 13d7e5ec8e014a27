/** Queries a chain's fee oracle and separates a missing function from a failing node. */
import { type Address, RetryLater } from '@causeway/core'
import { concat, type Hex, keccak256, numberToHex, slice } from 'viem'
import { contractCall } from '../../node/calls.ts'
import { isExecutionFailure } from '../../node/errors.ts'
import { type Call, Refusal } from '../../node/node.ts'

const WORD_LENGTH = 66

export function question(oracle: Address, data: Hex): Call<string> {
  return contractCall({ to: oracle, data })
}

/** Null if the oracle has no such function: it reverts or returns nothing. A failure of the node itself is thrown. */
export function answered(answer: string | Refusal): bigint | null {
  if (answer instanceof Refusal) {
    if (isExecutionFailure(answer)) return null
    throw answer
  }
  return answer.length >= WORD_LENGTH ? BigInt(answer.slice(0, WORD_LENGTH)) : null
}

/** The oracle's value; throws if it is missing. A wrong oracle address in the file would make every quote too low. */
export function needed(answer: string | Refusal, oracle: Address): bigint {
  const told = answered(answer)
  if (told === null) throw new RetryLater(`the fee oracle at ${oracle} does not report the data fee`)
  return told
}

/** Incompressible bytes of this size: no transaction of the same size costs more. */
export function incompressible(size: number): Hex {
  const words = Array.from({ length: Math.ceil(size / 32) }, (_, index) => keccak256(numberToHex(index + 1)))
  return size === 0 ? '0x' : slice(concat(words), 0, size)
}

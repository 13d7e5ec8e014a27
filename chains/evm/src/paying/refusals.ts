/** How nodes word that a call failed on the chain, as opposed to their own failures. */
import type { Refusal } from '../node/node.ts'

export function isOutOfGas({ message }: Refusal): boolean {
  return /out of gas|gas required exceeds|exceeds (the )?(block )?gas (limit|allowance)|intrinsic gas/i.test(message)
}

/**
 * Whether the contract's code ran and refused, or exceeded the gas limit. Any other error (no funds, a failing node)
 * may be temporary.
 */
export function isExecutionFailure(refusal: Refusal): boolean {
  if (isOutOfGas(refusal)) return true
  const { code, message } = refusal
  return code === 3 || /revert/i.test(message)
}

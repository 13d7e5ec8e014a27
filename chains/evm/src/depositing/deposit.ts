/**
 * How a deposit carries a swap's reference: twelve bytes, a fixed magic and the number, at the very end of the
 * transaction's input. Contracts ignore bytes after their arguments, so a plain ERC-20 transfer can carry it too.
 */
import { type Address, type DepositAction, type DepositRequest, isReference } from '@causeway/core'
import { concat, encodeFunctionData, erc20Abi, getAddress, type Hex, numberToHex } from 'viem'

/** "CSWY" in ASCII. */
const MAGIC = '43535759'
/** transfer(address,uint256). */
const TRANSFER_SELECTOR = 'a9059cbb'

export function encodeMemo(reference: bigint): Hex {
  return `0x${MAGIC}${numberToHex(reference, { size: 8 }).slice(2)}`
}

export function depositAction(request: DepositRequest): DepositAction {
  const { token, receiver, units } = request
  const memo = encodeMemo(request.reference)
  const rest = { type: 'transfer', gasLimit: null, encodedArgs: null } as const
  if (token.contract === null) return { ...rest, toAddress: receiver, units, callData: memo }
  return { ...rest, toAddress: token.contract, units: 0n, callData: concat([encodeTransfer(receiver, units), memo]) }
}

export function encodeTransfer(to: Address, units: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [getAddress(to), units] })
}

/** The reference in an input that is only a memo, as in a native deposit; null if there is none. */
export function memoAlone(input: string): bigint | null {
  return input.length === 2 + 24 ? memoAtEnd(input) : null
}

/** The reference after a call of `transfer(to, …)`; null if there is none. */
export function memoBehindTransfer(input: string, to: Address): bigint | null {
  const form = new RegExp(`^0x${TRANSFER_SELECTOR}0{24}${to.slice(2).toLowerCase()}[0-9a-f]{64}[0-9a-f]{24}$`)
  return form.test(input) ? memoAtEnd(input) : null
}

function memoAtEnd(input: string): bigint | null {
  const match = new RegExp(`${MAGIC}([0-9a-f]{16})$`).exec(input)
  if (!match || input.length % 2 !== 0) return null
  const reference = BigInt(`0x${match[1]}`)
  return isReference(reference) ? reference : null
}

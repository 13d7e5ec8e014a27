/** The allowance that a token deposit through the Depository needs: exactly the amount, never more. */
import { type WalletAction, WalletProblem } from '@causeway/core/wallet'

/** The Depository's arguments: swap id, token, receiver, amount. */
const TOKEN_ARGS = 4
const APPROVE = '0x095ea7b3'
const ALLOWANCE = '0xdd62ed3e'

export interface Approval {
  token: string
  spender: string
  units: bigint
}

/** Null if no allowance is needed: the native coin, and plain transfers. */
export function approvalOf({ encoded_args: args, to_address: spender, token }: WalletAction): Approval | null {
  if (args.length !== TOKEN_ARGS || token.contract === null) return null
  const [, named = '', , amount = '0x0'] = args
  // If the shown token is not the one that would be allowed, ask for nothing.
  if (named.toLowerCase() !== token.contract.toLowerCase()) throw new WalletProblem('unsupported')
  return { token: token.contract, spender, units: BigInt(amount) }
}

export function approveData({ spender }: Approval, units: bigint): string {
  return APPROVE + word(BigInt(spender)) + word(units)
}

export function allowanceData({ spender }: Approval, owner: string): string {
  return ALLOWANCE + word(BigInt(owner)) + word(BigInt(spender))
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

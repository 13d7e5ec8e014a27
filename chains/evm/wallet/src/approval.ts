/** What must be allowed before a token goes through the Depository: exactly the amount, never more. */
import { type WalletAction, WalletProblem } from '@causeway/core/wallet'

/** As the Depository is told: the swap's number, the token, the receiver, the amount. */
const TOKEN_ARGS = 4
const APPROVE = '0x095ea7b3'
const ALLOWANCE = '0xdd62ed3e'

export interface Approval {
  token: string
  spender: string
  units: bigint
}

/** Null where nothing has to be allowed: the native coin, and plain transfers. */
export function approvalOf({ encoded_args: args, to_address: spender, token }: WalletAction): Approval | null {
  if (args.length !== TOKEN_ARGS || token.contract === null) return null
  const [, named = '', , amount = '0x0'] = args
  // One token is shown to the person and another would be allowed: nothing is asked then.
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

/**
 * The two ways to pay on this chain: into the recipient's trading balance, which Paraclear keeps with eight decimals, or as a
 * plain transfer to the account's wallet, which the exchange's own pages hide.
 */
import { type Address, Bug, type Transfer } from '@causeway/core'
import { type ContractCall, transferCall } from '@causeway/starknet/kit'

/** The token has six decimals, Paraclear counts in eight. */
const TOKEN_DECIMALS = 6
const SCALE = 100n

/** The calls of a deposit: exactly the deposited amount is approved, and no allowance is left. */
export function depositCalls(paraclear: Address, token: Address, transfers: readonly Transfer[]): ContractCall[] {
  for (const { amount } of transfers) {
    if (amount.token.decimals !== TOKEN_DECIMALS) throw new Bug('Paraclear takes a token of six decimals', {})
  }
  const sum = transfers.reduce((units, { amount }) => units + amount.units, 0n)
  const { calldata, ...approval } = transferCall(BigInt(token), paraclear, sum)
  return [
    { ...approval, entrypoint: 'approve', calldata },
    ...transfers.map(({ to, amount }) => ({
      to: BigInt(paraclear),
      entrypoint: 'deposit_on_behalf_of',
      calldata: [BigInt(to), BigInt(token), amount.units * SCALE],
    })),
  ]
}

export function plainCalls(token: Address, transfers: readonly Transfer[]): ContractCall[] {
  return transfers.map(({ to, amount }) => transferCall(BigInt(token), to, amount.units))
}

/**
 * How a deposit carries a swap's reference: as a text comment, which is 32 zero bits and the decimal number. A native
 * transfer has it as the message's body, a jetton transfer as its forward payload.
 */
import { transferAction } from '@causeway/chain-kit'
import { type Address, type DepositAction, type DepositRequest, parseDecimalReference } from '@causeway/core'
import { type Cell, comment, type Slice } from '@ton/core'
import { unbouncing } from '../address.ts'
import { sliceOf } from '../transaction.ts'

export interface CallData {
  comment: string
  /** The amount in base units. */
  amount: string
  /** The token's symbol, for display only: the action names the token. */
  asset: string
  /** The sender's jetton wallet, from which wallets send; absent for the native coin, and if no sender is known. */
  jetton_wallet?: Address
}

export function depositAction(request: DepositRequest, jettonWallet: Address | null): DepositAction {
  const { token, units, receiver, reference } = request
  const callData: CallData = {
    comment: reference.toString(),
    amount: units.toString(),
    asset: token.symbol,
    ...(jettonWallet === null ? {} : { jetton_wallet: jettonWallet }),
  }
  return transferAction({ ...request, receiver: unbouncing(receiver) }, JSON.stringify(callData))
}

export function commentCell(text: string): Cell {
  return comment(text)
}

/** The reference in a comment that contains nothing else; null for other opcodes, binary and encrypted comments. */
export function referenceIn(payload: Slice): bigint | null {
  const slice = payload.clone()
  if (slice.remainingBits < 32 || slice.loadUint(32) !== 0) return null
  const text = snakeText(slice)
  return text === null ? null : parseDecimalReference(text)
}

/** Text continues in the one reference of a cell. Ours fits into one; some wallets start a new cell after the zeros. */
const MAX_CELLS = 4

function snakeText(start: Slice): string | null {
  const bytes: Buffer[] = []
  let slice = start
  for (let cells = 0; cells < MAX_CELLS; cells++) {
    if (slice.remainingBits % 8 !== 0 || slice.remainingRefs > 1) return null
    bytes.push(slice.loadBuffer(slice.remainingBits / 8))
    if (slice.remainingRefs === 0) return Buffer.concat(bytes).toString('latin1')
    slice = sliceOf(slice.loadRef())
  }
  return null
}

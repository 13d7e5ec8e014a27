/**
 * What a transaction moved: its own value, and the `Transfer` logs of listed tokens. Both the scan and the re-read of a
 * deposit judge by these functions alone, so they cannot come to different ends.
 */
import type { Address, Sighting, Token } from '@causeway/core'
import { canonical, fromTopic, isBurnAddress } from './address.ts'
import type { Log, Receipt, Transaction } from './calls.ts'
import type { EvmChain } from './chain.ts'
import { memoAlone, memoAtEnd, memoBehindTransfer } from './deposit.ts'

export interface Movement {
  /** 0 for the transaction's own value, else 1 + the log's position in the receipt: the same in whatever block. */
  index: number
  from: Address
  to: Address
  token: Token
  units: bigint
}

/** keccak256 of Transfer(address,address,uint256). */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const NATIVE_INDEX = 0

export function nativeMovement({ network }: EvmChain, transaction: Transaction): Movement | null {
  const { to, from, value } = transaction
  if (to === null || value === 0n) return null
  return {
    index: NATIVE_INDEX,
    from: canonical(from),
    to: canonical(to),
    token: network.nativeToken,
    units: value,
  }
}

/** Null where it is no transfer of a listed token. */
export function tokenMovement({ tokens }: EvmChain, log: Log, position: number): Movement | null {
  const token = tokens.get(log.address)
  const [event, from, to, ...more] = log.topics
  if (!token || event !== TRANSFER_TOPIC || !from || !to || more.length > 0 || log.data.length !== 66) return null
  const units = BigInt(log.data)
  if (units === 0n) return null
  return { index: NATIVE_INDEX + 1 + position, from: fromTopic(from), to: fromTopic(to), token, units }
}

/** Everything that a successful transaction moved. */
export function movementsOf(chain: EvmChain, transaction: Transaction, receipt: Receipt): Movement[] {
  if (!receipt.success) return []
  const native = nativeMovement(chain, transaction)
  const tokens = receipt.logs.map((log, position) => tokenMovement(chain, log, position))
  return [native, ...tokens].filter((movement) => movement !== null)
}

/** Those that came to us from outside: a sweep or a payout between our own addresses is no deposit. */
export function depositsAmong(movements: readonly Movement[], owned: ReadonlySet<Address>): Movement[] {
  return movements.filter(({ from, to }) => owned.has(to) && !owned.has(from))
}

/**
 * The swap's number, where it cannot mean anything else: one single transfer to us in the transaction, and an input
 * that is exactly what we asked for. Behind another contract (a smart wallet) the memo must stand at the very end.
 */
export function referenceOf(
  transaction: Transaction,
  movements: readonly Movement[],
  owned: ReadonlySet<Address>,
): bigint | null {
  const [only, ...more] = movements.filter(({ to }) => owned.has(to))
  if (!only || more.length > 0 || transaction.to === null) return null
  if (only.index === NATIVE_INDEX) return memoAlone(transaction.input)
  if (transaction.to === only.token.contract?.toLowerCase()) return memoBehindTransfer(transaction.input, only.to)
  return memoAtEnd(transaction.input)
}

/** `contracts` are the senders with code: what pays them may not reach the person behind. */
export function toSighting(
  movement: Movement,
  receipt: Receipt,
  reference: bigint | null,
  contracts: ReadonlySet<Address>,
): Sighting {
  const { index, from, to, token, units } = movement
  const isSafe = !contracts.has(from) && !isBurnAddress(from)
  return {
    txHash: receipt.hash,
    index,
    block: receipt.block,
    from: isSafe ? from : null,
    to,
    amount: { token, units },
    reference,
  }
}

/** An account that only borrows code (EIP-7702) is still its owner's key. */
const DELEGATION_PREFIX = '0xef0100'

export function isContract(code: string): boolean {
  return code.length > 2 && !code.startsWith(DELEGATION_PREFIX)
}

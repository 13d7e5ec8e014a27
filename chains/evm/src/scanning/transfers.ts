/**
 * The transfers of a transaction: its own value, and the `Transfer` logs of listed tokens. The scan and the re-read of
 * a deposit both use only these functions, so they cannot disagree.
 */
import type { Address, Sighting, Token } from '@causeway/core'
import { zeroAddress } from 'viem'
import { canonical, fromTopic, isBurnAddress } from '../address.ts'
import type { EvmChain } from '../chain.ts'
import { memoAlone, memoBehindTransfer } from '../depositing/deposit.ts'
import { type Deposited, isNative, readDeposited, relayedOwner } from '../depositing/depository.ts'
import type { Log, Receipt, Transaction } from '../node/calls.ts'

export interface Movement {
  /**
   * Index of the transfer: 0 for the transaction's own value, else 1 + the log's position in the receipt. It does not
   * depend on the block.
   */
  index: number
  from: Address
  to: Address
  token: Token
  units: bigint
  /** The event of our Depository; null if the deposit came another way. */
  deposited: Deposited | null
  /** Other possible owners of the money, because an internal call does not name its sender. */
  perhapsFrom?: readonly Address[]
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
    deposited: null,
  }
}

/** Decodes a `Transfer` log; null if it is not of a listed token. */
export function tokenMovement({ tokens }: EvmChain, log: Log, position: number): Movement | null {
  const token = tokens.get(log.address)
  const [event, from, to, ...more] = log.topics
  if (!token || event !== TRANSFER_TOPIC || !from || !to || more.length > 0 || log.data.length !== 66) return null
  const units = BigInt(log.data)
  if (units === 0n) return null
  const index = NATIVE_INDEX + 1 + position
  return { index, from: fromTopic(from), to: fromTopic(to), token, units, deposited: null }
}

/**
 * Coins that our Depository passed on by an internal call, according to its event. Null if the log is not such an
 * event.
 */
export function nativeDeposit(chain: EvmChain, log: Log, position: number, from: Address): Movement | null {
  const deposited = readDeposited(chain.contracts, log)
  if (!deposited || !isNative(deposited) || deposited.units === 0n) return null
  const { receiver: to, units } = deposited
  return { index: NATIVE_INDEX + 1 + position, from, to, token: chain.network.nativeToken, units, deposited }
}

/** Everything that a successful transaction moved. */
export function movementsOf(chain: EvmChain, transaction: Transaction, receipt: Receipt): Movement[] {
  if (!receipt.success) return []
  const native = nativeMovement(chain, transaction)
  const [payer = zeroAddress, ...perhapsFrom] = payersOf(chain, transaction)
  const rest = receipt.logs.map((log, position) => {
    const native = nativeDeposit(chain, log, position, payer)
    return tokenMovement(chain, log, position) ?? (native && { ...native, perhapsFrom })
  })
  const movements = [native, ...rest].filter((movement) => movement !== null)
  return named(chain, movements, receipt.logs)
}

/**
 * The payers of coins into the Depository: the sender if the transaction calls it directly; else the contract in
 * between, or its caller.
 */
function payersOf({ contracts }: EvmChain, { from, to }: Transaction): Address[] {
  if (to !== null && contracts.depositories.has(to)) return [canonical(from)]
  return [to === null ? zeroAddress : canonical(to), canonical(from)]
}

/**
 * Pairs each token transfer with our Depository's event for it: the nearest transfer of that token to that receiver
 * before the event. The transfer is the money and the event only names the swap, so together they are credited once.
 */
function named(chain: EvmChain, movements: Movement[], logs: readonly Log[]): Movement[] {
  const byIndex = new Map(movements.map((movement) => [movement.index, movement]))
  for (const [position, log] of logs.entries()) {
    const deposited = readDeposited(chain.contracts, log)
    if (!deposited || isNative(deposited)) continue
    const money = [...byIndex.values()].findLast(
      ({ index, token, to, deposited: taken }) =>
        index <= position &&
        token.contract?.toLowerCase() === deposited.token.toLowerCase() &&
        to === deposited.receiver &&
        taken === null,
    )
    if (!money) continue
    const from = ownerBehind(chain, money, deposited, logs.slice(position + 1)) ?? money.from
    byIndex.set(money.index, { ...money, from, deposited })
  }
  return [...byIndex.values()]
}

/** The owner, if one of our Paymasters took the money from them; null otherwise. */
function ownerBehind(chain: EvmChain, money: Movement, deposited: Deposited, later: readonly Log[]): Address | null {
  if (!chain.contracts.paymasters.has(money.from.toLowerCase())) return null
  for (const log of later) {
    const owner = relayedOwner(chain.contracts, log, deposited)
    if (owner) return owner
  }
  return null
}

/** The credited units: at most what the Depository measured. */
function believed({ units, deposited }: Movement): bigint {
  return deposited && deposited.units < units ? deposited.units : units
}

/** Transfers to us from outside. A sweep or payout between our own addresses is not a deposit. */
export function depositsAmong(movements: readonly Movement[], owned: ReadonlySet<Address>): Movement[] {
  return movements.filter(({ from, to }) => owned.has(to) && !owned.has(from))
}

/**
 * The swap's reference, if it is unambiguous and signed by the payer: one single transfer to us, of the sender's own
 * money, with exactly the input that we asked for. Behind another contract (a smart wallet, a relayer) the submitter
 * chooses the last bytes, so they are ignored.
 */
export function referenceOf(
  transaction: Transaction,
  movements: readonly Movement[],
  owned: ReadonlySet<Address>,
): bigint | null {
  const [only, ...more] = movements.filter(({ to }) => owned.has(to))
  if (!only || more.length > 0 || only.from !== canonical(transaction.from)) return null
  if (only.index === NATIVE_INDEX) return memoAlone(transaction.input)
  if (transaction.to !== only.token.contract?.toLowerCase()) return null
  return memoBehindTransfer(transaction.input, only.to)
}

/**
 * `contracts`: the senders with code. A refund to them may not reach the person behind, and if they send transactions
 * themselves (zkSync), their own code decides what a signature covers. The Depository got the reference from the payer.
 */
export function toSighting(
  movement: Movement,
  receipt: Receipt,
  reference: bigint | null,
  contracts: ReadonlySet<Address>,
): Sighting {
  const { index, from, to, token, deposited, perhapsFrom = [] } = movement
  const isSafe = !contracts.has(from) && !isBurnAddress(from)
  return {
    txHash: receipt.hash,
    index,
    block: receipt.block,
    refundableSender: isSafe ? from : null,
    fundingAddresses: [...new Set([from, ...perhapsFrom])].filter((sender) => sender !== zeroAddress),
    to,
    amount: { token, units: believed(movement) },
    reference: deposited ? deposited.reference : contracts.has(from) ? null : reference,
  }
}

/** An account that only delegates to code (EIP-7702) still belongs to its key. */
const DELEGATION_PREFIX = '0xef0100'

export function isContract(code: string): boolean {
  return code.length > 2 && !code.startsWith(DELEGATION_PREFIX)
}

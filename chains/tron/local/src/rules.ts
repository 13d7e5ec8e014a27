/**
 * Validation of a transaction before a node accepts it, and the chain's charges. Prices as on mainnet in autumn 2026.
 */
import { type Hex, recoverAddress } from 'viem'
import { bufferIn, type LocalTransaction, numberIn } from './transaction.ts'

export const PRICES = {
  energy: 100n,
  byte: 1_000n,
  memo: 1_000_000n,
  createAccount: 100_000n,
  createAccountInSystem: 1_000_000n,
} as const
/** Free bytes per account and day. */
export const FREE_BANDWIDTH = 600
export const DAY_MS = 86_400_000
const MOST_AHEAD_MS = DAY_MS

/** A rejection that is returned to the sender, with the code that real nodes use. */
export class Rejected extends Error {
  override name = 'Rejected'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The chain state that the rules need. */
export interface World {
  /** Time of the newest block in milliseconds: a transaction is judged by the parent of its block. */
  parentTime: number
  /** The eight bytes of the block whose number ends in these two; null if none of the last 65,536 does. */
  referenceHash(lastBytes: string): string | null
  balance(address: string): Promise<bigint>
  exists(address: string): Promise<boolean>
  isContract(address: string): Promise<boolean>
  /** Bandwidth that the account has left today. */
  freeBandwidth(address: string): number
}

export interface Charge {
  netFee: bigint
  netUsage: number
  accountFee: bigint
  memoFee: bigint
}

/** Validates a transaction: throws `Rejected`, or returns its cost in addition to energy. */
export async function judge(transaction: LocalTransaction, world: World): Promise<Charge> {
  const { expiration, owner, refBytes, refHash } = transaction
  await assertSigned(transaction)
  if (expiration <= world.parentTime || expiration > world.parentTime + MOST_AHEAD_MS) {
    throw new Rejected(
      'TRANSACTION_EXPIRATION_ERROR',
      `Transaction expiration, transaction expiration time is ${expiration}`,
    )
  }
  if (world.referenceHash(refBytes) !== refHash) throw new Rejected('TAPOS_ERROR', 'Tapos check error.')
  if (!(await world.exists(owner))) throw invalid(`account [${owner}] does not exist`)
  const charge = await chargeOf(transaction, world)
  const flat = charge.netFee + charge.accountFee + charge.memoFee
  const sent = await assertBody(transaction, world)
  const held = await world.balance(owner)
  if (held < sent + flat) {
    if (held < sent) throw invalid('Validate TransferContract error, balance is not sufficient.')
    throw new Rejected('BANDWITH_ERROR', 'Account resource insufficient error.')
  }
  return charge
}

async function assertSigned({ id, owner, signatures }: LocalTransaction): Promise<void> {
  const [signature, ...more] = signatures
  if (!signature || more.length > 0 || signature.length !== 65)
    throw new Rejected('SIGERROR', 'one signature is wanted')
  const last = signature[64] ?? 0
  const yParity = last >= 27 ? last - 27 : last
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map(
    (half) => `0x${half.toString('hex')}` as Hex,
  )
  const signer = await recoverAddress({ hash: `0x${id}`, signature: { r: r ?? '0x', s: s ?? '0x', yParity } }).catch(
    () => null,
  )
  if (signer?.toLowerCase() !== `0x${owner.slice(2)}`) {
    throw new Rejected('SIGERROR', `Validate signature error: ${signer} but it is not contained of permission.`)
  }
}

/** Validates the contract call; returns the amount that it sends, in sun. */
async function assertBody({ type, body, owner }: LocalTransaction, world: World): Promise<bigint> {
  if (type === 'TransferContract') {
    const to = bufferIn(body, 'to_address').toString('hex')
    const amount = numberIn(body, 'amount')
    if (!/^41[0-9a-f]{40}$/.test(to)) throw invalid('Invalid toAddress!')
    if (to === owner) throw invalid('Cannot transfer TRX to yourself.')
    if (amount <= 0n) throw invalid('Amount must be greater than 0.')
    if (await world.isContract(to)) throw invalid('Cannot transfer TRX to a smartContract.')
    return amount
  }
  if (type === 'TriggerSmartContract') {
    const contract = bufferIn(body, 'contract_address').toString('hex')
    if (!(await world.isContract(contract))) throw invalid('No contract or not a smart contract')
    return numberIn(body, 'call_value')
  }
  if (type === 'CreateSmartContract' || type === 'TransferAssetContract') return 0n
  throw invalid(`${type} is not run here`)
}

async function chargeOf(transaction: LocalTransaction, world: World): Promise<Charge> {
  const { type, body, owner, bandwidth, memo } = transaction
  const memoFee = memo.length > 0 ? PRICES.memo : 0n
  const to = bufferIn(body, 'to_address').toString('hex')
  const isNew = type === 'TransferContract' && !(await world.exists(to))
  // A new account is charged this instead of its bytes; the free allowance does not cover it.
  if (isNew) return { netFee: PRICES.createAccount, netUsage: 0, accountFee: PRICES.createAccountInSystem, memoFee }
  if (world.freeBandwidth(owner) >= bandwidth) return { netFee: 0n, netUsage: bandwidth, accountFee: 0n, memoFee }
  return { netFee: BigInt(bandwidth) * PRICES.byte, netUsage: 0, accountFee: 0n, memoFee }
}

function invalid(reason: string): Rejected {
  return new Rejected('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${reason}`)
}

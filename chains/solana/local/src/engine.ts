/**
 * The engine of a local chain: LiteSVM runs transactions with the real programs. A validator's other work is done here:
 * checking blockhashes and nonces, and advancing the nonce of a failed transaction.
 */
import { createHash } from 'node:crypto'
import {
  type Address,
  address,
  type EncodedAccount,
  getBase58Decoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
  type Transaction,
} from '@solana/kit'
import { getNonceDecoder, getNonceEncoder, getNonceSize, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm'
import { errorJson, type TransactionError } from './errors.ts'

/** A decoded transaction from the wire. */
export interface Parcel {
  wire: Uint8Array
  transaction: Transaction
  version: 'legacy' | 0
  accounts: readonly Address[]
  header: { numSignerAccounts: number; numReadonlySignerAccounts: number; numReadonlyNonSignerAccounts: number }
  lifetime: string
  instructions: readonly { program: Address; programIndex: number; accounts: readonly number[]; data: Uint8Array }[]
}

export interface Outcome {
  err: TransactionError | null
  logs: string[]
  unitsConsumed: number
  inner: { index: number; instructions: InnerInstruction[] }[]
}

interface InnerInstruction {
  programIdIndex: number
  accounts: number[]
  data: Uint8Array
  stackHeight: number
}

export interface Engine {
  account(of: Address): EncodedAccount | null
  balance(of: Address): bigint
  put(account: EncodedAccount): void
  remove(of: Address): void
  /** The hash of the newest block. */
  blockhash(): string
  /** Starts another block; the previous one gets this hash. */
  nextBlock(slot: bigint): string
  rentFor(bytes: number): bigint
  /** The nonce account that the transaction names, if the account has the value that was signed. */
  nonceOf(parcel: Parcel): Address | null
  run(parcel: Parcel): Outcome
  simulate(parcel: Parcel, checkSignatures: boolean): Outcome
}

export function openEngine(): Engine {
  const svm = new LiteSVM().withTransactionHistory(0n).withBlockhashCheck(false).withSigverify(true)

  function account(of: Address): EncodedAccount | null {
    const found = svm.getAccount(of)
    return found.exists ? found : null
  }

  function nonceOf({ instructions, accounts, lifetime }: Parcel): Address | null {
    const [first] = instructions
    if (first?.program !== SYSTEM_PROGRAM_ADDRESS || first.data[0] !== ADVANCE_NONCE) return null
    const named = accounts[first.accounts[0] ?? -1]
    const held = named === undefined ? null : account(named)
    if (!named || held?.data.length !== getNonceSize()) return null
    const { blockhash } = getNonceDecoder().decode(held.data)
    return blockhash === lifetime && blockhash !== durableNonce(svm.latestBlockhash()) ? named : null
  }

  /** A validator keeps the nonce change even if the rest failed; the engine does not. */
  function changeNonce(of: Address): void {
    const held = account(of)
    if (!held) return
    const nonce = getNonceDecoder().decode(held.data)
    const data = getNonceEncoder().encode({ ...nonce, blockhash: durableNonce(svm.latestBlockhash()) })
    svm.setAccount({ ...held, data: Uint8Array.from(data) })
  }

  return {
    account,
    balance: (of) => svm.getBalance(of) ?? 0n,
    put: (changed) => svm.setAccount(changed),
    remove: (of) =>
      svm.setAccount({
        ...{ address: of, executable: false, lamports: lamports(0n), programAddress: SYSTEM_PROGRAM_ADDRESS },
        ...{ space: 0n, data: new Uint8Array() },
      }),
    blockhash: () => svm.latestBlockhash(),
    nextBlock(slot) {
      svm.expireBlockhash()
      svm.warpToSlot(slot)
      return svm.latestBlockhash()
    },
    rentFor: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
    nonceOf,
    run(parcel) {
      const nonce = nonceOf(parcel)
      const outcome = outcomeOf(svm.sendTransaction(parcel.transaction))
      if (nonce && outcome.err !== null && typeof outcome.err !== 'string') changeNonce(nonce)
      return outcome
    },
    simulate(parcel, checkSignatures) {
      svm.withSigverify(checkSignatures)
      const result = svm.simulateTransaction(parcel.transaction)
      svm.withSigverify(true)
      return outcomeOf(result instanceof FailedTransactionMetadata ? result : result.meta())
    },
  }
}

/** The instruction's number in the system program. */
const ADVANCE_NONCE = 4

/** How the chain derives a nonce from a block's hash. */
export function durableNonce(blockhash: string): Address {
  const digest = createHash('sha256')
    .update('DURABLE_NONCE')
    .update(Buffer.from(getBase58Encoder().encode(blockhash)))
  return address(getBase58Decoder().decode(digest.digest()))
}

export function parcelOf(wire: Uint8Array): Parcel {
  const transaction = getTransactionDecoder().decode(wire)
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  if (message.version === 1 || ('addressTableLookups' in message && message.addressTableLookups?.length)) {
    throw new RangeError('the local chain takes no lookup tables and no transactions of version 1')
  }
  const { staticAccounts, header, instructions, version } = message
  return {
    wire,
    transaction,
    version,
    accounts: staticAccounts,
    header,
    lifetime: message.lifetimeToken ?? '',
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
      program: staticAccounts[programAddressIndex] ?? SYSTEM_PROGRAM_ADDRESS,
      programIndex: programAddressIndex,
      accounts: accountIndices,
      data: Uint8Array.from(data),
    })),
  }
}

function outcomeOf(result: TransactionMetadata | FailedTransactionMetadata): Outcome {
  const isFailed = result instanceof FailedTransactionMetadata
  const meta = isFailed ? result.meta() : result
  return {
    err: isFailed ? errorJson(result.err()) : null,
    logs: meta.logs(),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    inner: meta
      .innerInstructions()
      .map((instructions, index) => ({
        index,
        instructions: instructions.map((called) => ({
          programIdIndex: called.instruction().programIdIndex(),
          accounts: [...called.instruction().accounts()],
          data: called.instruction().data(),
          stackHeight: called.stackHeight(),
        })),
      }))
      .filter(({ instructions }) => instructions.length > 0),
  }
}

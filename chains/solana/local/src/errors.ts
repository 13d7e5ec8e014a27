/** Errors of the local chain: the engine's numbers and objects in the form of a node's JSON. */
import type { FailedTransactionMetadata } from 'litesvm'

/** A text: the transaction never got into a block. An object: it did, failed, and paid its fee. */
export type TransactionError = string | Record<string, unknown>

export function errorJson(error: ReturnType<FailedTransactionMetadata['err']>): TransactionError {
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? `Error${error}`
  if ('accountIndex' in error) return { InsufficientFundsForRent: { account_index: error.accountIndex } }
  if (!('err' in error)) return { DuplicateInstruction: error.index }
  const inner = error.err()
  if (typeof inner === 'number')
    return { InstructionError: [error.index, INSTRUCTION_ERRORS[inner] ?? `Error${inner}`] }
  return { InstructionError: [error.index, 'code' in inner ? { Custom: inner.code } : { BorshIoError: inner.msg }] }
}

/** The names, in the engine's numbering. */
const TRANSACTION_ERRORS = [
  ...['AccountInUse', 'AccountLoadedTwice', 'AccountNotFound', 'ProgramAccountNotFound', 'InsufficientFundsForFee'],
  ...['InvalidAccountForFee', 'AlreadyProcessed', 'BlockhashNotFound', 'CallChainTooDeep', 'MissingSignatureForFee'],
  ...['InvalidAccountIndex', 'SignatureFailure', 'InvalidProgramForExecution', 'SanitizeFailure', 'ClusterMaintenance'],
  ...['AccountBorrowOutstanding', 'WouldExceedMaxBlockCostLimit', 'UnsupportedVersion', 'InvalidWritableAccount'],
]

const INSTRUCTION_ERRORS = [
  ...['GenericError', 'InvalidArgument', 'InvalidInstructionData', 'InvalidAccountData', 'AccountDataTooSmall'],
  ...['InsufficientFunds', 'IncorrectProgramId', 'MissingRequiredSignature', 'AccountAlreadyInitialized'],
  ...['UninitializedAccount', 'UnbalancedInstruction', 'ModifiedProgramId', 'ExternalAccountLamportSpend'],
]

/** Amounts of a mined sweep by address: those that were signed, because instructions succeed together. */
import { Bug, type SignedTransfer, type SweptAmount, type Token } from '@causeway/core'
import { getCompiledTransactionMessageDecoder, getTransactionDecoder, type ReadonlyUint8Array } from '@solana/kit'
import { getTransferSolInstructionDataDecoder, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { getTransferCheckedInstructionDataDecoder, TRANSFER_CHECKED_DISCRIMINATOR } from '@solana-program/token'
import { isTokenProgram } from '../tokens.ts'

/** The system program's instruction that moves lamports. */
const TRANSFER_SOL = 2
/** Position of the owner among the accounts of a token transfer: after its account, the mint and the receiver's. */
const AUTHORITY_AT = 3

export function sweptBy({ hash, bytes }: SignedTransfer, token: Token): SweptAmount[] {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(bytes, 'base64'))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version === 1) throw new Bug('not a transaction that we signed', { hash })
  return message.instructions.flatMap(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => {
    const program = message.staticAccounts[programAddressIndex]
    const moved = token.contract === null ? coinsIn(program, data) : tokensIn(program, data)
    const address = moved && message.staticAccounts[accountIndices[moved.owner] ?? -1]
    return address ? [{ address, amount: { token, units: moved.units } }] : []
  })
}

/** The transferred lamports, and the position of their owner; null if it is another instruction. */
function coinsIn(program: string | undefined, data: ReadonlyUint8Array) {
  if (program !== SYSTEM_PROGRAM_ADDRESS || data[0] !== TRANSFER_SOL) return null
  return { owner: 0, units: getTransferSolInstructionDataDecoder().decode(data).amount }
}

function tokensIn(program: string | undefined, data: ReadonlyUint8Array) {
  if (!isTokenProgram(program) || data[0] !== TRANSFER_CHECKED_DISCRIMINATOR) return null
  return { owner: AUTHORITY_AT, units: getTransferCheckedInstructionDataDecoder().decode(data).amount }
}

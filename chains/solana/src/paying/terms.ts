/** The draft that `prepare` passes to `sign`, as text: the price to offer, and values from the chain. */
import { Bug, type PreparedTransfer, RetryLater, type SignedTransfer } from '@causeway/core'
import { getCompiledTransactionMessageDecoder, getTransactionDecoder, type Instruction } from '@solana/kit'
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
  parseSetComputeUnitLimitInstruction,
  parseSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { fieldsOf, list, text } from '../node/decode.ts'
import { feeOf } from './fees.ts'
import type { Plan } from './order.ts'

export interface Budget {
  /** Compute units that the transaction may use, and pays for. */
  units: bigint
  /** The price per compute unit, in millionths of a lamport. */
  unitPrice: bigint
}

export interface Terms extends Budget, Plan {
  /** The maximum rent of the token accounts that the transaction creates. */
  rent: bigint
}

/** The maximum cost of such a transaction in addition to the transfers. */
export function ceilingOf({ units, unitPrice, rent, takings }: Terms): bigint {
  return feeOf(1 + takings.filter((taken) => taken > 0n).length, units, unitPrice) + rent
}

export function formatTerms(terms: Terms): PreparedTransfer {
  return JSON.stringify(terms, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

export function parseTerms(draft: PreparedTransfer): Terms {
  try {
    const fields = fieldsOf(JSON.parse(draft))
    return {
      units: BigInt(text(fields.units)),
      unitPrice: BigInt(text(fields.unitPrice)),
      rent: BigInt(text(fields.rent)),
      takings: list(fields.takings).map((units) => BigInt(text(units))),
    }
  } catch (error) {
    throw new Bug('not a draft of this family', { draft, reason: String(error) })
  }
}

export function budgetInstructions({ units, unitPrice }: Budget): Instruction[] {
  return [
    getSetComputeUnitLimitInstruction({ units: Number(units) }),
    getSetComputeUnitPriceInstruction({ microLamports: unitPrice }),
  ]
}

/** Decodes the price that an earlier attempt offers. */
export function budgetOf(signed: SignedTransfer): Budget {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(signed.bytes, 'base64'))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version === 1) throw new Bug('not a transaction that we signed', { hash: signed.hash })
  const [limit, price] = message.instructions
    .filter(({ programAddressIndex }) => message.staticAccounts[programAddressIndex] === COMPUTE_BUDGET_PROGRAM_ADDRESS)
    .map(({ data = new Uint8Array() }) => ({ data, programAddress: COMPUTE_BUDGET_PROGRAM_ADDRESS }))
  if (!limit || !price) throw new RetryLater(`the earlier attempt ${signed.hash} offers no price`)
  return {
    units: BigInt(parseSetComputeUnitLimitInstruction(limit).data.units),
    unitPrice: parseSetComputeUnitPriceInstruction(price).data.microLamports,
  }
}

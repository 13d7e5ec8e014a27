/** Translates an order into the instructions of one transaction and its signers. */
import { type Address, Bug, type KeyRef, type Order } from '@causeway/core'
import { address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { TOKEN_PROGRAM } from '../address.ts'
import type { Settings } from '../settings.ts'
import { associatedAccount, programOf } from '../tokens.ts'
import { depositKey, TREASURY_KEY } from './treasury.ts'

/** The draft's values from the chain. */
export interface Plan {
  /** The amount to take from each source of a sweep, in order; empty for transfers. */
  takings: readonly bigint[]
}

/** More sources would not fit into a transaction: each brings a signature, its address and its token account. */
export const MAX_SWEEP_SOURCES = 5
/**
 * The number of SOL transfers that fit. Of a token, which adds two addresses each, half as many fit; `prepare` rejects
 * more.
 */
export const MAX_TRANSFERS = 16

export async function instructionsOf(settings: Settings, order: Order, plan: Plan): Promise<Instruction[]> {
  if (order.kind === 'sweep') return sweepInstructions(settings, order, plan)
  // A cancellation needs no instruction: every transaction of ours begins by advancing the nonce.
  if (order.kind === 'cancel') return []
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  if (order.call !== undefined) throw new Bug('this family supports no calls', { call: order.call })
  if (order.transfers.length === 0) throw new Bug('an order without a transfer', {})
  const payer = createNoopSigner(address(order.account))
  const groups = order.transfers.map(async ({ to, amount: { token, units } }) => {
    if (units <= 0n) throw new Bug('a transfer needs an amount', { to, units })
    const { contract: mint, decimals } = token
    if (mint === null) return [nativeTransfer(payer, to, units)]
    return tokenTransfer({ from: payer, to, mint, program: programOf(settings, mint), units, decimals, payer })
  })
  return (await Promise.all(groups)).flat()
}

/** The keys that sign, the treasury's first, because it pays the fee. */
export function signersOf(order: Order, { takings }: Plan): { key: KeyRef; address: Address }[] {
  const treasury = { key: TREASURY_KEY, address: order.account }
  if (order.kind !== 'sweep') return [treasury]
  const emptied = order.sources.filter((_, position) => (takings[position] ?? 0n) > 0n)
  return [
    treasury,
    ...emptied.map((source) => ({ key: depositKey(source.index, source.branch), address: source.address })),
  ]
}

export function nativeTransfer(source: TransactionSigner, to: Address, units: bigint): Instruction {
  return getTransferSolInstruction({ source, destination: address(to), amount: units })
}

interface TokenTransfer {
  from: TransactionSigner
  to: Address
  mint: Address
  program: Address
  units: bigint
  decimals: number
  payer: TransactionSigner
}

/** Creates the receiver's token account if it is missing, at the payer's cost. */
export async function tokenTransfer(transfer: TokenTransfer): Promise<Instruction[]> {
  const { from, to, mint, program, units, decimals, payer } = transfer
  const source = address(await associatedAccount(from.address, mint, program))
  const destination = address(await associatedAccount(to, mint, program))
  const tokenProgram = { programAddress: address(program) }
  return [
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: destination,
      owner: address(to),
      mint: address(mint),
      tokenProgram: address(program),
    }),
    getTransferCheckedInstruction(
      { source, mint: address(mint), destination, authority: from, amount: units, decimals },
      tokenProgram,
    ),
  ]
}

async function sweepInstructions(
  settings: Settings,
  order: Extract<Order, { kind: 'sweep' }>,
  plan: Plan,
): Promise<Instruction[]> {
  const { account, sources, token } = order
  const { contract: mint, decimals } = token
  const treasury = createNoopSigner(address(account))
  const emptied = sources.flatMap((source, position) => {
    const units = plan.takings[position] ?? 0n
    return units > 0n ? [{ owner: createNoopSigner(address(source.address)), units }] : []
  })
  if (mint === null) return emptied.map(({ owner, units }) => nativeTransfer(owner, account, units))
  const program = programOf(settings, mint)
  const groups = emptied.map(async ({ owner, units }, position) => {
    const [create, transfer] = await tokenTransfer({
      ...{ from: owner, to: account, mint, program, units, decimals, payer: treasury },
    })
    if (!create || !transfer) throw new Bug('a token transfer has two instructions', { mint })
    const made = position === 0 ? [create, transfer] : [transfer]
    return [...made, ...(await closing(owner, mint, program, account))]
  })
  return (await Promise.all(groups)).flat()
}

/**
 * Returns the account's rent to the treasury. Token-2022 may withhold fees in an account, which then cannot be closed.
 */
async function closing(
  owner: TransactionSigner,
  mint: Address,
  program: Address,
  treasury: Address,
): Promise<Instruction[]> {
  if (program !== TOKEN_PROGRAM) return []
  const account = address(await associatedAccount(owner.address, mint, program))
  return [getCloseAccountInstruction({ account, destination: address(treasury), owner })]
}

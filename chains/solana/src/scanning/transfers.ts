/**
 * The credits of a transaction to us, by balances before and after it and never by its instructions; and the swap it
 * names: one memo among its own instructions, if only one transfer to us can be meant.
 */
import { type Address, type BlockRef, Bug, parseDecimalReference, type Sighting, type Token } from '@causeway/core'
import { getBase58Encoder } from '@solana/kit'
import { SUPPORTED_MEMO_PROGRAM_ADDRESSES } from '@solana-program/memo'
import type { Transaction } from '../transaction.ts'

/** A balance that grew. */
export interface Credit {
  /** Position of the account in the transaction, which is part of what was signed. */
  index: number
  /** The receiving wallet: the account itself for the native token, its owner for others. */
  to: Address
  token: Token
  units: bigint
}

export interface TokenList {
  nativeToken: Token
  byMint: ReadonlyMap<Address, Token>
}

/** Every wallet that a successful transaction credited with a listed token. */
export function creditsOf({ nativeToken, byMint }: TokenList, transaction: Transaction): Credit[] {
  if (transaction.failed) return []
  const { accounts, preBalances, postBalances, preTokens, postTokens } = transaction
  const native = accounts.flatMap((to, index) => {
    const units = change(preBalances[index], postBalances[index])
    return units > 0n ? [{ index, to, token: nativeToken, units }] : []
  })
  const tokens = postTokens.flatMap(({ index, mint, owner, units: after }) => {
    const token = byMint.get(mint)
    if (!token || owner === null) return []
    const units = after - (preTokens.find((before) => before.index === index)?.units ?? 0n)
    return units > 0n ? [{ index, to: owner, token, units }] : []
  })
  return [...native, ...tokens]
}

export function signersOf({ accounts, signers }: Transaction): Address[] {
  return accounts.slice(0, signers)
}

export function toSighting(credit: Credit, transaction: Transaction, block: BlockRef, isOnly: boolean): Sighting {
  const { index, to, token, units } = credit
  assertExact(credit, transaction)
  return {
    txHash: transaction.hash,
    index,
    block,
    refundableSender: senderOf(credit, transaction),
    // The signers caused the transfer, even if the tokens came from a pool in between.
    fundingAddresses: [...new Set([...losersOf(credit, transaction), ...signersOf(transaction)])],
    to,
    amount: { token, units },
    // If there are several transfers to us, a memo does not identify one of them.
    reference: isOnly && isSignedFor(credit, transaction) ? memoNumber(transaction) : null,
  }
}

/** The only wallet that had less of this token afterwards, if it signed, because it can be refunded; else null. */
function senderOf(credit: Credit, transaction: Transaction): Address | null {
  const [only, ...more] = losersOf(credit, transaction)
  if (only === undefined || more.length > 0) return null
  return signersOf(transaction).includes(only) ? only : null
}

/**
 * Whether every wallet that lost money signed. A signer signs the whole transaction, memos included. Money of a wallet
 * that did not sign (a program's vault, an account with a delegate) was moved by the submitter, who may have written
 * any memo.
 */
function isSignedFor(credit: Credit, transaction: Transaction): boolean {
  const signers = signersOf(transaction)
  const losers = losersOf(credit, transaction)
  return losers.length > 0 && losers.every((loser) => signers.includes(loser))
}

/** All accounts that had less of this token afterwards. */
function losersOf({ token }: Credit, transaction: Transaction): Address[] {
  return token.contract === null ? nativeLosers(transaction) : tokenLosers(transaction, token.contract)
}

function nativeLosers({ accounts, preBalances, postBalances }: Transaction): Address[] {
  return accounts.filter((_, index) => change(preBalances[index], postBalances[index]) < 0n)
}

function tokenLosers({ preTokens, postTokens }: Transaction, mint: Address): Address[] {
  const sums = new Map<Address | null, bigint>()
  const count = (owner: Address | null, units: bigint) => sums.set(owner, (sums.get(owner) ?? 0n) + units)
  for (const { mint: of, owner, units } of preTokens) if (of === mint) count(owner, -units)
  for (const { mint: of, owner, units } of postTokens) if (of === mint) count(owner, units)
  return [...sums].flatMap(([owner, sum]) => (owner !== null && sum < 0n ? [owner] : []))
}

const MEMO_PROGRAMS: ReadonlySet<string> = new Set(SUPPORTED_MEMO_PROGRAM_ADDRESSES)

/** The reference in the transaction's one memo. Memos of other programs are inner instructions and are ignored. */
function memoNumber({ instructions }: Transaction): bigint | null {
  const [memo, ...more] = instructions.filter(({ program }) => MEMO_PROGRAMS.has(program))
  if (!memo || more.length > 0) return null
  return parseDecimalReference(Buffer.from(getBase58Encoder().encode(memo.data)).toString('utf8'))
}

function change(before = 0, after = 0): bigint {
  return before === after ? 0n : BigInt(after) - BigInt(before)
}

/**
 * Throws if an amount is not exact: JSON numbers are exact up to nine million SOL. Foreign accounts may hold more; ours
 * must not.
 */
function assertExact({ index }: Credit, { preBalances, postBalances, hash }: Transaction): void {
  if (Number.isSafeInteger(preBalances[index]) && Number.isSafeInteger(postBalances[index])) return
  throw new Bug('a balance of ours is larger than can be read exactly', { hash, balance: postBalances[index] })
}

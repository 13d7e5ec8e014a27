/** Blocks and transactions of a local chain as a node writes them. */

import { RpcError } from '@causeway/devnet/kit'
import { getBase58Decoder } from '@solana/kit'
import type { DevnetChain, DevnetTransaction } from './chain.ts'

export function blockJson(
  chain: DevnetChain,
  slot: number,
  { transactionDetails = 'full', encoding }: { transactionDetails?: string; encoding?: string },
) {
  const block = chain.blocks.findLast((candidate) => candidate.slot === slot)
  const first = chain.blocks[0]?.slot ?? 0
  if (slot > chain.head().slot) throw new RpcError(-32004, `Block not available for slot ${slot}`)
  if (slot < first) throw new RpcError(-32001, `Block ${slot} cleaned up, does not exist on node`)
  if (!block) throw new RpcError(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`)
  const { hash, parentSlot, parentHash, time, transactions } = block
  const root = { blockhash: hash, previousBlockhash: parentHash, parentSlot, blockHeight: slot, blockTime: time }
  if (transactionDetails === 'none') return root
  if (transactionDetails === 'signatures') return { ...root, signatures: transactions.map((each) => each.signature) }
  return { ...root, transactions: transactions.map((each) => transactionJson(each, encoding)) }
}

export function transactionJson(landed: DevnetTransaction, encoding = 'json') {
  const { parcel, outcome, fee, preBalances, postBalances, preTokens, postTokens } = landed
  const transaction =
    encoding === 'base64' ? [Buffer.from(parcel.wire).toString('base64'), 'base64'] : plainJson(landed)
  return {
    transaction,
    version: parcel.version,
    meta: {
      err: outcome.err,
      status: outcome.err === null ? { Ok: null } : { Err: outcome.err },
      fee,
      preBalances,
      postBalances,
      preTokenBalances: preTokens,
      postTokenBalances: postTokens,
      innerInstructions: outcome.inner.map(({ index, instructions }) => ({
        index,
        instructions: instructions.map((inner) => ({ ...inner, data: base58(inner.data) })),
      })),
      logMessages: outcome.logs,
      loadedAddresses: { writable: [], readonly: [] },
      rewards: [],
      computeUnitsConsumed: outcome.unitsConsumed,
    },
  }
}

function plainJson({ parcel: { transaction, accounts, header, lifetime, instructions } }: DevnetTransaction) {
  return {
    signatures: Object.values(transaction.signatures).map((signature) => base58(signature ?? new Uint8Array(64))),
    message: {
      accountKeys: accounts,
      header: {
        numRequiredSignatures: header.numSignerAccounts,
        numReadonlySignedAccounts: header.numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
      },
      recentBlockhash: lifetime,
      instructions: instructions.map(({ programIndex, accounts: used, data }) => ({
        ...{ programIdIndex: programIndex, accounts: used, data: base58(data), stackHeight: null },
      })),
    },
  }
}

function base58(bytes: Parameters<ReturnType<typeof getBase58Decoder>['decode']>[0]): string {
  return getBase58Decoder().decode(bytes)
}

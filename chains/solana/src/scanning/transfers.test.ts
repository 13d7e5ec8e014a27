import type { Token } from '@causeway/core'
import { getBase58Decoder } from '@solana/kit'
import { expect, it } from 'vitest'
import { sampleNetwork, tokenOf } from '../../../../tests/support/chains/samples.ts'
import { readBlock, type Transaction } from '../transaction.ts'
import { creditsOf, toSighting } from './transfers.ts'

const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
const network = sampleNetwork(
  [
    { symbol: 'SOL', contract: null, decimals: 9 },
    { symbol: 'USDC', contract: USDC, decimals: 6 },
  ],
  { name: 'SOLANA_DEVNET', type: 'solana' },
)
const list = { nativeToken: network.nativeToken, byMint: new Map<string, Token>([[USDC, tokenOf(network, 'USDC')]]) }
const BLOCK = { number: 430n, hash: '3Eq21vXNB5s86c62bVuUfTeaMif1N2kUqRPBmGRJhyTA' }

/** The block in Solana's own documentation of `getBlock`: one vote. */
const DOCUMENTED = {
  blockHeight: 428,
  blockTime: null,
  blockhash: '3Eq21vXNB5s86c62bVuUfTeaMif1N2kUqRPBmGRJhyTA',
  parentSlot: 429,
  previousBlockhash: 'mfcyqEXB3DnHXki6KjjmZck6YjmZLvpAByy2fj4nh6B',
  transactions: [
    {
      meta: {
        err: null,
        fee: 5000,
        innerInstructions: [],
        logMessages: [],
        postBalances: [499998932500, 26858640, 1, 1, 1],
        postTokenBalances: [],
        preBalances: [499998937500, 26858640, 1, 1, 1],
        preTokenBalances: [],
        rewards: null,
        status: { Ok: null },
      },
      transaction: {
        message: {
          accountKeys: [
            '3UVYmECPPMZSCqWKfENfuoTv51fTDTWicX9xmBD2euKe',
            'AjozzgE83A3x1sHNUR64hfH7zaEBWeMaFuAN9kQgujrc',
            'SysvarS1otHashes111111111111111111111111111',
            'SysvarC1ock11111111111111111111111111111111',
            'Vote111111111111111111111111111111111111111',
          ],
          header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 3, numRequiredSignatures: 1 },
          instructions: [
            {
              accounts: [1, 2, 3, 0],
              data: '37u9WtQpcm6ULa3WRQHmj49EPs4if7o9f1jSRVZpm2dvihR9C8jY4NqEwXUbLwx15HBSNcP1',
              programIdIndex: 4,
            },
          ],
          recentBlockhash: 'mfcyqEXB3DnHXki6KjjmZck6YjmZLvpAByy2fj4nh6B',
        },
        signatures: ['2nBhEBYYvfaAe16UMNqRHre4YNSskvuYgx3M6E4JP1oDYvZEJHvoPzyUidNgNX5r9sTyN1J9UxtbCXy2rqYcuyuv'],
      },
    },
  ],
}

it('a block as documented is decoded; a vote brings no deposit', () => {
  const block = readBlock(430n, DOCUMENTED)
  expect(block).toMatchObject({ slot: 430n, hash: BLOCK.hash, parentSlot: 429n })
  const [vote] = block.transactions
  expect(vote).toMatchObject({ failed: false, fee: 5000, signers: 1 })
  expect(vote && creditsOf(list, vote)).toEqual([])
})

const [ALICE, BOB, TREASURY, TOKENS] = ['alice', 'bob', 'treasury', 'tokens of the treasury'] as const

function transaction(changes: Partial<Transaction> = {}): Transaction {
  return {
    hash: 'hash',
    accounts: [ALICE, BOB, TREASURY, TOKENS],
    lifetime: null,
    signers: 1,
    instructions: [],
    failed: false,
    fee: 5000,
    preBalances: [100_000, 10, 10, 10],
    postBalances: [95_000, 10, 10, 10],
    preTokens: [],
    postTokens: [],
    ...changes,
  }
}

it('accounts of lookup tables come behind those of the message, and their balances with them', () => {
  const raw = structuredClone(DOCUMENTED)
  const [first] = raw.transactions
  Object.assign(first?.meta ?? {}, {
    loadedAddresses: { writable: [TREASURY], readonly: [BOB] },
    preBalances: [499998937500, 26858640, 1, 1, 1, 7, 8],
    postBalances: [499998932493, 26858640, 1, 1, 1, 14, 8],
  })
  const [read] = readBlock(430n, raw).transactions
  expect(read && creditsOf(list, read)).toMatchObject([{ index: 5, to: TREASURY, units: 7n }])
})

it('a token account that changes its owner to us brings nothing that it did not hold before', () => {
  const before = [{ index: 3, mint: USDC, owner: ALICE, units: 500n }]
  const after = [{ index: 3, mint: USDC, owner: TREASURY, units: 500n }]
  expect(creditsOf(list, transaction({ preTokens: before, postTokens: after }))).toEqual([])
})

it('a transaction that failed brings nothing, whatever its balances say', () => {
  const balances = { preBalances: [100_000, 10, 10, 10], postBalances: [90_000, 10, 5_010, 10] }
  expect(creditsOf(list, transaction(balances))).toMatchObject([{ to: TREASURY, units: 5_000n }])
  expect(creditsOf(list, transaction({ ...balances, failed: true }))).toEqual([])
})

it('a token that is not listed, whatever it calls itself, brings nothing', () => {
  const fake = [{ index: 3, mint: 'another mint', owner: TREASURY, units: 500n }]
  expect(creditsOf(list, transaction({ postTokens: fake }))).toEqual([])
})

it('a sender that did not sign, as the vault of a multisig, is not named, and names no swap', () => {
  const memo = {
    accounts: [],
    program: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
    data: getBase58Decoder().decode(Buffer.from('1000001')),
  }
  const moved = transaction({
    instructions: [memo],
    preTokens: [{ index: 1, mint: USDC, owner: BOB, units: 500n }],
    postTokens: [
      { index: 1, mint: USDC, owner: BOB, units: 0n },
      { index: 3, mint: USDC, owner: TREASURY, units: 500n },
    ],
  })
  const [credit] = creditsOf(list, moved)
  expect(credit && toSighting(credit, moved, BLOCK, true)).toMatchObject({
    refundableSender: null,
    fundingAddresses: [BOB, ALICE],
    amount: { units: 500n },
    reference: null,
  })
  // The same with the owner's signature, which covers the memo.
  const signed = { ...moved, signers: 2 }
  expect(credit && toSighting(credit, signed, BLOCK, true)).toMatchObject({
    refundableSender: BOB,
    reference: 1_000_001n,
  })
})

it('a signer who had a pool pay us is recorded, though the tokens were never theirs', () => {
  const swapped = transaction({
    preTokens: [{ index: 1, mint: USDC, owner: 'a pool', units: 500n }],
    postTokens: [
      { index: 1, mint: USDC, owner: 'a pool', units: 0n },
      { index: 3, mint: USDC, owner: TREASURY, units: 500n },
    ],
  })
  const [credit] = creditsOf(list, swapped)
  expect(credit && toSighting(credit, swapped, BLOCK, true)).toMatchObject({
    refundableSender: null,
    fundingAddresses: ['a pool', ALICE],
  })
})

it('a foreign account may hold more than a JSON number carries; a wallet of ours may not', () => {
  const whale = transaction({ preBalances: [100_000, 2 ** 60, 10, 10], postBalances: [95_000, 2 ** 60 + 512, 10, 10] })
  const [credit] = creditsOf(list, whale)
  expect(credit).toMatchObject({ to: BOB })
  expect(() => credit && toSighting(credit, whale, BLOCK, true)).toThrow('larger than can be read exactly')
})

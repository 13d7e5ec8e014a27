/** Forged blocks: an inner row of the Merkle tree, shown as a transaction. */
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, it } from 'vitest'
import { readBlock, readHeader, rootOf } from './block.ts'
import { bytesToHex, concatBytes } from './bytes.ts'
import { leafBytes } from './transaction.ts'

const NONE = new Set<string>()
const SIGNATURE = new Uint8Array(65).fill(7)

/** With the id of its header. */
function blockOf(root: string, transactions: unknown[]) {
  const block = { block_header: { raw_data: { number: 5, txTrieRoot: root, timestamp: 1 } }, transactions }
  try {
    readHeader({ ...block, blockID: 'ff'.repeat(32) })
  } catch (error) {
    return { ...block, blockID: /is (\w{64})/.exec(String(error))?.[1] ?? '' }
  }
  throw new Error('no header has that id')
}

/** A transaction varied until its hash begins like a message. */
function grown(begin: readonly number[]): Uint8Array {
  for (let nonce = 0; ; nonce++) {
    const leaf = leafBytes(new TextEncoder().encode(`transaction ${nonce}`), [SIGNATURE], [])
    if (begin.every((byte, at) => sha256(leaf)[at] === byte)) return sha256(leaf)
  }
}

it('two hashes of the tree are no transaction of their own', () => {
  // A field of 62 bytes: then a transaction without a signature is exactly the 64 bytes of a pair.
  const pair = concatBytes(grown([0x0a, 62]), grown([]))
  const forged = { raw_data_hex: bytesToHex(pair.subarray(2)), signature: [], ret: [] }
  const root = bytesToHex(sha256(pair))
  expect(rootOf([sha256(leafBytes(pair.subarray(2), [], []))])).toBe(root)
  const block = blockOf(root, [forged])
  expect(readBlock(block, NONE).isProven).toBe(false)
  expect(readBlock(block, new Set([block.blockID])).isProven).toBe(true)
})

it('a transaction without a complete signature proves nothing', () => {
  const raw = new Uint8Array(100).fill(1)
  const isProven = (...signatures: Uint8Array[]) => {
    const shown = { raw_data_hex: bytesToHex(raw), signature: signatures.map(bytesToHex), ret: [] }
    return readBlock(blockOf(rootOf([sha256(leafBytes(raw, signatures, []))]), [shown]), NONE).isProven
  }
  expect(isProven(SIGNATURE)).toBe(true)
  expect(isProven(SIGNATURE, SIGNATURE)).toBe(true)
  expect(isProven()).toBe(false)
  expect(isProven(SIGNATURE.subarray(1))).toBe(false)
  expect(isProven(new Uint8Array())).toBe(false)
})

it("a fee beyond JSON's exact numbers makes an unproven block and stops nothing", () => {
  const raw = new Uint8Array(100).fill(1)
  const ret = JSON.parse('[{"contractRet":"SUCCESS","fee":9223372036854775807}]')
  const shown = { raw_data_hex: bytesToHex(raw), signature: [bytesToHex(SIGNATURE)], ret }
  const block = readBlock(blockOf('ab'.repeat(32), [shown]), NONE)
  expect([block.isProven, block.transactions.length]).toEqual([false, 1])
})

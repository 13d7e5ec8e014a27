/** Sends transactions signed by a plain key, outside any payout: those of the test accounts and of the operator. */
import { setTimeout as wait } from 'node:timers/promises'
import type { TxHash } from '@causeway/core'
import type { Instruction } from '@solana/kit'
import { latestBlock, send, signatureStatus } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { signedBy, type Wallet } from './keypair.ts'
import { toBase64 } from './message.ts'

/** A transaction that is not in a block by then never will be: its blockhash is too old. */
const LANDING_TIMEOUT_MS = 90_000
const POLL_MS = 20

/** Signs with the newest blockhash, sends, and waits until the transaction is in a block. */
export async function land(node: Node, sign: (blockhash: string) => Promise<Uint8Array>): Promise<TxHash> {
  const [{ blockhash }] = await node.ask([latestBlock('confirmed')])
  const [hash] = await node.ask([send(toBase64(await sign(blockhash)))])
  const deadline = Date.now() + LANDING_TIMEOUT_MS
  while (Date.now() < deadline) {
    const [status] = await node.ask([signatureStatus(hash)])
    if (status && status.commitment !== 'processed') return hash
    await wait(POLL_MS)
  }
  throw new Error(`${hash} did not get into a block; it never will`)
}

export function landFrom(node: Node, wallet: Wallet, instructions: readonly Instruction[]): Promise<TxHash> {
  return land(node, (blockhash) => signedBy(wallet, instructions, blockhash))
}

/** The stored bytes of a payout: the posted requests, one per line. The last one is the transfer. */
import type { TxHash } from '@causeway/core'
import { canonical } from '../address.ts'
import { hashOf, type KeyChangeTx, type TransferTx, transferBytes } from '../transaction.ts'
import type { ZkSignature } from '../zk-key.ts'

export interface Sent {
  transfer: TransferTx
  hash: TxHash
  /** The requests, in the order in which they are posted. */
  requests: unknown[]
}

export function transferRequest(tx: TransferTx, signature: ZkSignature, ethereum: string): unknown {
  const { tokenId, amount, fee, ...rest } = tx
  return {
    tx: { type: 'Transfer', ...rest, token: tokenId, amount: amount.toString(), fee: fee.toString(), signature },
    signature: { type: 'EthereumSignature', signature: ethereum },
  }
}

export function keyChangeRequest(tx: KeyChangeTx, signature: ZkSignature, ethereum: string): unknown {
  const { feeTokenId, fee, ...rest } = tx
  const ethAuthData = { type: 'ECDSA', ethSignature: ethereum, batchHash: `0x${'0'.repeat(64)}` }
  return {
    tx: { type: 'ChangePubKey', ...rest, feeToken: feeTokenId, fee: fee.toString(), signature, ethAuthData },
    signature: null,
  }
}

export function writeSent(requests: readonly unknown[]): string {
  return requests.map((request) => JSON.stringify(request)).join('\n')
}

/** Decodes stored bytes; null if they are not ours. */
export function readSent(bytes: string): Sent | null {
  try {
    const requests = bytes.split('\n').map((line) => JSON.parse(line))
    const { tx } = requests.at(-1)
    const transfer: TransferTx = {
      accountId: tx.accountId,
      from: canonical(tx.from),
      to: canonical(tx.to),
      tokenId: tx.token,
      amount: BigInt(tx.amount),
      fee: BigInt(tx.fee),
      nonce: tx.nonce,
      validFrom: tx.validFrom,
      validUntil: tx.validUntil,
    }
    return { transfer, hash: hashOf(transferBytes(transfer)), requests }
  } catch {
    return null
  }
}

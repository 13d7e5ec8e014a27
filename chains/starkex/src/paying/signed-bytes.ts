/** The stored bytes of a payout: the posted body with its headers. */
import type { Address } from '@causeway/core'
import { messageHash, nameOf, type TransferMessage } from '../transaction.ts'
import type { StarkSignature } from './treasury.ts'

export interface Sent {
  message: TransferMessage
  hash: string
  body: unknown
  headers: Record<string, string>
}

interface Signed {
  address: Address
  starkKey: bigint
  message: TransferMessage
  stark: StarkSignature
  ethereum: string
}

export function writeSent({ address, starkKey, message, stark, ethereum }: Signed): string {
  const request = {
    amount: message.quanta.toString(),
    asset_id: nameOf(message.asset),
    expiration_timestamp: message.expiryHour.toString(),
    nonce: message.nonce.toString(),
    receiver_stark_key: nameOf(message.receiverKey),
    receiver_vault_id: message.receiverVault.toString(),
    sender_vault_id: message.senderVault.toString(),
    stark_signature: { r: nameOf(stark.r), s: nameOf(stark.s) },
  }
  const body = { sender_stark_key: nameOf(starkKey), requests: [request] }
  return JSON.stringify({ body, headers: { 'x-imx-eth-address': address, 'x-imx-eth-signature': ethereum } })
}

/** Decodes stored bytes; null if they are not ours. */
export function readSent(bytes: string): Sent | null {
  try {
    const { body, headers } = JSON.parse(bytes)
    const [request] = body.requests
    const message: TransferMessage = {
      senderVault: BigInt(request.sender_vault_id),
      receiverVault: BigInt(request.receiver_vault_id),
      receiverKey: BigInt(request.receiver_stark_key),
      asset: BigInt(request.asset_id),
      quanta: BigInt(request.amount),
      nonce: Number(request.nonce),
      expiryHour: Number(request.expiration_timestamp),
    }
    return { message, hash: nameOf(messageHash(message)), body, headers }
  } catch {
    return null
  }
}

/** The draft that `prepare` passes to `sign`, as text: values from the operator. */
import { Bug, type PreparedTransfer } from '@causeway/core'
import type { Route } from '../node/calls.ts'

/** The draft's values from the operator. Recipient and amount are in the order. */
export interface Terms extends Route {
  /** The expiry, in hours since 1970. */
  expiryHour: number
  /** When it was prepared, in seconds since 1970. */
  time: number
  /** The vaults of the transfer or, for a cancellation, of the earlier transfer. */
  asset: bigint
}

export function formatTerms({
  expiryHour,
  time,
  senderVault,
  receiverVault,
  receiverKey,
  asset,
}: Terms): PreparedTransfer {
  return [
    expiryHour,
    time,
    senderVault,
    receiverVault,
    `0x${receiverKey.toString(16)}`,
    `0x${asset.toString(16)}`,
  ].join(' ')
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const form = /^(\d{1,7}) (\d{1,12}) (\d{1,10}) (\d{1,10}) (0x[0-9a-f]{1,64}) (0x[0-9a-f]{1,64})$/.exec(draft)
  const [, expiryHour, time, senderVault = '', receiverVault = '', receiverKey = '', asset = ''] = form ?? []
  if (!form) throw new Bug('not a draft', { draft })
  return {
    expiryHour: Number(expiryHour),
    time: Number(time),
    senderVault: BigInt(senderVault),
    receiverVault: BigInt(receiverVault),
    receiverKey: BigInt(receiverKey),
    asset: BigInt(asset),
  }
}

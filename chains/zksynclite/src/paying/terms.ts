/** The draft that `prepare` passes to `sign`, as text: values from the server. */
import { Bug, type PreparedTransfer } from '@causeway/core'

/** The draft's values from the server. Recipient and amount are in the order. */
export interface Terms {
  accountId: number
  /** The account's next nonce. */
  nonce: number
  fee: bigint
  /** Present while the account cannot send yet: its key is set first, in this nonce and for this fee. */
  unlock: { nonce: number; fee: bigint } | null
}

export function formatTerms({ accountId, nonce, fee, unlock }: Terms): PreparedTransfer {
  const parts = [accountId, nonce, fee, ...(unlock ? [unlock.nonce, unlock.fee] : [])]
  return parts.join(' ')
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const form = /^(\d{1,10}) (\d{1,10}) (\d{1,40})(?: (\d{1,10}) (\d{1,40}))?$/.exec(draft)
  const [, accountId, nonce, fee, unlockNonce, unlockFee] = form ?? []
  if (accountId === undefined || nonce === undefined || fee === undefined) throw new Bug('not a draft', { draft })
  return {
    accountId: Number(accountId),
    nonce: Number(nonce),
    fee: BigInt(fee),
    unlock:
      unlockNonce !== undefined && unlockFee !== undefined
        ? { nonce: Number(unlockNonce), fee: BigInt(unlockFee) }
        : null,
  }
}

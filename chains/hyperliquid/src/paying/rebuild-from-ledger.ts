/** Rebuilds signed actions from ledger rows: a row contains everything except the variant. */
import { type Address, formatDecimal, type TxHash } from '@causeway/core'
import { unitsIn } from '../node/amounts.ts'
import { type Listing, tokenNamed } from '../scanning/credits.ts'
import type { Row, TransferRow } from '../scanning/ledger-row.ts'
import { wireOf } from '../settings.ts'
import { contentOf, digestIn, hashOf, MOST_VARIANT, sendAsset } from './action.ts'
import type { SlotPart } from './slot.ts'

/** A transfer that names the nonce it was signed with. */
export interface SentRow extends Row {
  transfer: TransferRow & { nonce: number }
}

/** Of all transfer types only `send` contains everything that was signed. */
export function isSent(row: Row): row is SentRow {
  return row.type === 'send' && row.transfer !== null && row.transfer.nonce !== null
}

/** The hash of these rows' actions in this variant; null if we would not sign them. */
export function hashOfRows(listing: Listing, rows: readonly SentRow[], variant: number): TxHash | null {
  const contents = contentsOf(listing, rows)
  return contents && hashOf(contents.map((content) => digestIn(content, variant)))
}

/** The variant in which these rows match this hash; null if they do not match. */
export function variantIn(listing: Listing, rows: readonly SentRow[], hash: TxHash): number | null {
  const contents = contentsOf(listing, rows)
  for (let variant = 0; contents && variant <= MOST_VARIANT; variant++) {
    if (hashOf(contents.map((content) => digestIn(content, variant))) === hash) return variant
  }
  return null
}

function contentsOf(listing: Listing, rows: readonly SentRow[]): ReturnType<typeof contentOf>[] | null {
  const contents = rows.flatMap(({ transfer }) => {
    const token = tokenNamed(listing, transfer.token)
    const units = token && unitsIn(transfer.amount, token.decimals)
    if (!token || units === null) return []
    const action = sendAsset({
      chain: listing.settings.chain,
      to: transfer.destination,
      sourceDex: transfer.sourceDex,
      destinationDex: transfer.destinationDex,
      token: wireOf(listing.settings, token).wire,
      amount: formatDecimal(units, token.decimals),
      nonce: transfer.nonce,
      variant: 0,
    })
    return [contentOf(action)]
  })
  return contents.length === rows.length && rows.length > 0 ? contents : null
}

type Owner = { treasury: Address }

/** The rows of the treasury's ledger that used these nonces, in their order. */
export function usedIn({ treasury }: Owner, rows: readonly Row[], parts: readonly SlotPart[]): SentRow[] {
  const sent = rows.filter(isSent)
  return parts.flatMap(({ source, nonce }) => {
    const owner = source?.address ?? treasury
    return sent.find(({ transfer }) => transfer.user === owner && transfer.nonce === nonce) ?? []
  })
}

/** An action of the treasury other than `sendAsset` that used the nonce: other types name theirs too. */
export function strangeUse({ treasury }: Owner, rows: readonly Row[], parts: readonly SlotPart[]): Row | null {
  const nonces = parts.flatMap(({ source, nonce }) => (source ? [] : [nonce]))
  const isUse = ({ type, transfer, delta }: Row) => {
    if (type === 'withdraw') return nonces.some((nonce) => nonce === delta.nonce)
    return type === 'spotTransfer' && transfer?.user === treasury && nonces.some((nonce) => nonce === transfer.nonce)
  }
  return rows.find(isUse) ?? null
}

/** A link to a transaction at the network's explorer. */
import type { SwapDetails, Transaction } from '@causeway/sdk/light'
import { shortAddress } from '../../money/format.ts'
import { shell } from '../../text/texts.ts'

export type Linked = Pick<Transaction, 'transaction_hash'> & { network: SwapDetails['swap']['source_network'] }

export function TransactionLink({ transaction }: { transaction: Linked }) {
  const { transaction_hash: hash, network } = transaction
  if (!hash) return null
  const url = network.transaction_explorer_template.replace('{0}', encodeURIComponent(hash))
  // Links only to other sites over https.
  if (!url.startsWith('https://')) return <span class="hash">{shortAddress(hash)}</span>
  return (
    <a class="hash" href={url} target="_blank" rel="noreferrer noopener">
      {shortAddress(hash)}
      <span class="out-of-sight"> ({shell.opensOutside})</span>
    </a>
  )
}

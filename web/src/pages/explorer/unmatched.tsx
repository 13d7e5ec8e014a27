/** Shown for a transaction that arrived without matching a swap: where the money is, and what to do. */
import type { UnmatchedDeposit } from '@causeway/sdk/light'
import { site } from '../../api/client.ts'
import { visible } from '../../money/format.ts'
import { explorer as text } from '../../text/texts.ts'
import { Notice } from '../../ui/notice.tsx'

export interface Unmatched extends UnmatchedDeposit {
  networkName: string
}

export function UnmatchedDeposits({ deposits }: { deposits: readonly Unmatched[] }) {
  const contact = site.value?.contact
  return (
    <div class="stack tight">
      {deposits.map(({ network, networkName, state, seen_at }) => (
        <Notice key={`${network} ${seen_at}`} tone={state === 'returned' ? 'good' : 'warn'}>
          <span>
            {text.unmatched[state](visible(networkName))}
            {state !== 'returned' && ` ${contact ? text.unmatchedAskAt(contact) : text.unmatchedAsk}`}
          </span>
        </Notice>
      ))}
    </div>
  )
}

/** Beside a refund: what was sent and returned; or what is held, and where it came from. */
import type { SwapDetails } from '@causeway/sdk/light'
import { formatUsd, shortAddress } from '../../../money/format.ts'
import { formatDay } from '../../../money/format-time.ts'
import { status as text } from '../../../text/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { End, Line } from '../ends.tsx'
import { senderOf } from '../logic.ts'
import { progress } from '../state.ts'
import { heldTokenOf } from '../steps/legs.ts'
import { TransactionLink } from '../transaction-link.tsx'
import { returnOf } from './returned.ts'

export function RefundTerms({
  details,
  stage,
}: {
  details: SwapDetails
  stage: 'returning' | 'returned' | 'owed' | 'small'
}) {
  return stage === 'owed' || stage === 'small' ? (
    <Held details={details} />
  ) : (
    <Returned details={details} stage={stage} />
  )
}

function Returned({ details, stage }: { details: SwapDetails; stage: 'returning' | 'returned' }) {
  const { swap } = details
  const { sent, returned, token } = returnOf(details)
  const network = swap.source_network
  const address = swap.transactions.find(({ type }) => type === 'refund')?.to
  const name = stage === 'returned' ? text.returnedEnd : text.returningEnd
  const usd = (amount: string, { price_in_usd: price }: typeof token) => formatUsd(Number(amount) * price)
  return (
    <>
      <div class="stack tight">
        <End
          token={swap.source_token}
          network={network}
          amount={sent}
          note={`${text.youSent} · ${usd(sent, swap.source_token)}`}
        />
        <span class="below">
          <Icon name="below" />
        </span>
        <End
          token={token}
          network={network}
          amount={returned}
          note={returned === '0' ? name : `${name} · ${usd(returned, token)}`}
        />
      </div>
      <hr />
      {address && <Line name={text.back} address={address} />}
    </>
  )
}

function Held({ details: { swap } }: { details: SwapDetails }) {
  const inputs = swap.transactions.filter(({ type }) => type === 'input')
  const [first] = inputs
  const sender = senderOf(swap)
  const owed = progress.value?.refund.owed ?? null
  return (
    <>
      <End token={heldTokenOf(swap)} network={swap.source_network} amount={owed} note={text.heldEnd} />
      <hr />
      <dl class="facts">
        {first?.timestamp && (
          <div>
            <dt>{text.received}</dt>
            <dd>{formatDay(first.timestamp)}</dd>
          </div>
        )}
        {sender && (
          <div>
            <dt>{text.sentBy}</dt>
            <dd class="mono">{shortAddress(sender)}</dd>
          </div>
        )}
        {inputs.map((one) => (
          <div key={one.transaction_hash ?? one.created_date}>
            <dt>{text.deposit}</dt>
            <dd>
              <TransactionLink transaction={one} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

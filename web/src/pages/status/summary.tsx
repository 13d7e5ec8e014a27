/** Beside the story: the swap's terms, or its timeline once it is done; the signature, the id, and help. */
import type { SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { site } from '../../api/client.ts'
import { totalCostOf } from '../../money/cost.ts'
import { formatRate, formatShort, formatUsd, formatUsdDown, visible } from '../../money/format.ts'
import { formatTime } from '../../money/format-time.ts'
import { help, shell, swap as swapText, status as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/clock.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { End, Line } from './ends.tsx'
import { RefundTerms } from './refund/terms.tsx'
import { downloadSigned, progress, verdict } from './state.ts'
import { Steps } from './steps/steps.tsx'
import type { Stage } from './story.ts'

export function Aside({ details, stage }: { details: SwapDetails; stage: Stage }) {
  const judged = verdict.value
  return (
    <aside class="card aside" aria-label={text.details}>
      {stage === 'done' ? (
        <>
          <h2>{text.timeline}</h2>
          <Steps details={details} stage={stage} />
        </>
      ) : stage === 'returning' || stage === 'returned' || stage === 'owed' || stage === 'small' ? (
        <RefundTerms details={details} stage={stage} />
      ) : (
        <Terms details={details} stage={stage} />
      )}
      <hr />
      <div class="row between small signature">
        {judged?.state === 'verified' && (
          <>
            <span class="signed" title={text.signedBy(judged.fingerprint)}>
              <Icon name="shield" />
              {text.signed}
            </span>
            <button type="button" class="link" aria-label={text.downloadName} onClick={downloadSigned}>
              {text.download}
            </button>
          </>
        )}
      </div>
      <div class="row between small">
        <span class="soft">
          {text.id} <span class="mono id">{`${details.swap.id.slice(0, 8)}…${details.swap.id.slice(-4)}`}</span>
        </span>
        <Copy text={details.swap.id} label={shell.copy} done={shell.copied} name={text.copyId} look="plain small" />
      </div>
      <div class="acts">
        <Copy text={location.href} label={text.share} done={shell.copied} look="line" icon="share" />
        <Help details={details} />
      </div>
    </aside>
  )
}

function Terms({ details: { swap, quote }, stage }: { details: SwapDetails; stage: Stage }) {
  // Nothing will be received, so nothing is promised.
  const [isWaiting, isOver] = [stage === 'waiting', stage === 'failed' || stage === 'expired']
  const now = useNow()
  const { source_token: a, destination_token: b } = swap
  const told = progress.value
  const back = told?.refund.address
  const isOld = isWaiting && told !== null && Date.parse(told.quote_expires_at) <= now
  const facts = [
    { name: swapText.totalFees, value: formatUsd(totalCostOf(quote)) },
    { name: swapText.rate, value: swapText.rateOf(visible(a.symbol), formatRate(quote.rate, b.symbol)) },
    { name: swapText.minimum, value: formatShort(quote.min_receive_amount ?? 0, b.symbol) },
    ...(isWaiting ? [{ name: text.sendBy, value: told ? formatTime(told.expires_at) : '\u00a0' }] : []),
  ]
  return (
    <>
      <div class="stack tight">
        <End
          token={a}
          network={swap.source_network}
          amount={quote.requested_amount}
          note={usd(quote.requested_amount, a)}
        />
        <span class="below">
          <Icon name="below" />
        </span>
        <End
          token={b}
          network={swap.destination_network}
          amount={isOver ? null : quote.receive_amount}
          isAbout={isOld}
          note={isOver ? null : usd(quote.receive_amount, b, formatUsdDown)}
        />
      </div>
      <hr />
      <Line name={text.recipient(visible(swap.destination_network.display_name))} address={swap.destination_address} />
      {back && <Line name={text.back} address={back} />}
      {!isOver && <Facts facts={facts} />}
    </>
  )
}

type Token = SwapDetails['swap']['source_token']

/** An open amount is not known yet. */
function usd(amount: number | null, { price_in_usd: price }: Token, format = formatUsd): string | null {
  return amount ? format(amount * price) : null
}

function Help({ details }: { details: SwapDetails }) {
  const isOpen = useSignal(false)
  const contact = site.value?.contact
  return (
    <>
      <Button onClick={() => (isOpen.value = true)}>{help.open}</Button>
      {isOpen.value && (
        <Sheet title={help.title} closeLabel={shell.close} onClose={() => (isOpen.value = false)}>
          <p>{help.text}</p>
          <pre class="code">{supportText(details)}</pre>
          <div class="acts">
            <Copy text={supportText(details)} label={help.copy} done={shell.copied} look="line" />
            {contact && (
              <a class="button primary" href={contact} target="_self">
                {shell.contact}
              </a>
            )}
          </div>
          <p class="soft small">{help.note}</p>
        </Sheet>
      )}
    </>
  )
}

/** The text for support, without addresses: the user decides whether to share those. */
function supportText({ swap }: SwapDetails): string {
  const steps = swap.transactions.map(({ type, status, transaction_hash: hash }) => `${type} ${status} ${hash ?? ''}`)
  return [swap.id, swap.status, swap.fail_reason ?? '', ...steps, site.value?.build ?? ''].filter(Boolean).join('\n')
}

/** The swap's terms: amounts, recipient and refund address, the signature, and details for support. */
import type { SwapDetails } from '@causeway/sdk/light'
import { site } from '../../api/client.ts'
import { formatAmount, formatRate, visible } from '../../money/format.ts'
import { shell, swap as swapText, status as text } from '../../text/en.ts'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Logo } from '../../ui/logo.tsx'
import { progress, signed, verdict } from './state.ts'

export function Summary({ details }: { details: SwapDetails }) {
  const { swap, quote } = details
  const { source_token: a, destination_token: b } = swap
  const back = progress.value?.refund.address
  const judged = verdict.value
  return (
    <aside class="card stack summary" aria-label={text.details}>
      <End
        token={a}
        network={swap.source_network}
        amount={quote.requested_amount === null ? '…' : formatAmount(quote.requested_amount, a.symbol)}
      />
      <End
        token={b}
        network={swap.destination_network}
        amount={quote.receive_amount === null ? '…' : formatAmount(quote.receive_amount, b.symbol)}
      />
      <Line name={text.to} address={swap.destination_address} />
      {back && <Line name={text.back} address={back} />}
      <dl class="pairs">
        <dt>{swapText.networkFee}</dt>
        <dd>{formatAmount(quote.blockchain_fee ?? 0, a.symbol)}</dd>
        <dt>{swapText.serviceFee}</dt>
        <dd>{formatAmount(quote.service_fee ?? 0, a.symbol)}</dd>
        <dt>{swapText.rate}</dt>
        <dd>{swapText.rateOf(visible(a.symbol), formatRate(quote.rate, b.symbol))}</dd>
        <dt>{swapText.minimum}</dt>
        <dd>{formatAmount(quote.min_receive_amount ?? 0, b.symbol)}</dd>
      </dl>
      {judged?.state === 'verified' && (
        <div class="row between small">
          <span class="signed">✓ {text.signed(judged.fingerprint.slice(0, 5))}</span>
          <Button look="small" onClick={download}>
            {text.download}
          </Button>
        </div>
      )}
      <div class="stack tight">
        <span class="soft small">{text.id}</span>
        <span class="mono small id">{swap.id}</span>
        <div class="row">
          <Copy text={swap.id} label={shell.copy} done={shell.copied} name={shell.copyOf(text.id)} />
          <Copy text={location.href} label={text.share} done={shell.copied} />
          <Copy text={supportText(details)} label={text.support} done={shell.copied} />
        </div>
        <p class="soft small">{text.supportNote}</p>
      </div>
    </aside>
  )
}

type Token = SwapDetails['swap']['source_token']
type Network = SwapDetails['swap']['source_network']

function End({ token, network, amount }: { token: Token; network: Network; amount: string }) {
  return (
    <div class="summary-end">
      <Logo token={token.logo} network={network.logo} />
      <span>
        <strong>{amount}</strong>
        <span class="soft small">{visible(network.display_name)}</span>
      </span>
    </div>
  )
}

function Line({ name, address }: { name: string; address: string }) {
  return (
    <div class="stack summary-line">
      <span class="soft small">{name}</span>
      <Address text={address} />
    </div>
  )
}

/** The whole response as the service signed it: proof that needs no trust in us later. */
function download(): void {
  if (!signed.value) return
  const url = URL.createObjectURL(new Blob([JSON.stringify(signed.value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `causeway-${signed.value.swap.id}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Without addresses: the user decides whether to share those. */
function supportText({ swap }: SwapDetails): string {
  const steps = swap.transactions.map(({ type, status, transaction_hash: hash }) => `${type} ${status} ${hash ?? ''}`)
  return [swap.id, swap.status, swap.fail_reason ?? '', ...steps, site.value?.build ?? ''].filter(Boolean).join('\n')
}

/** A deposit from a browser wallet: one button that opens it, and a sentence for every answer. */
import type { Authorization, SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../../api/client.ts'
import type { VerifiedAction } from '../../../api/verified.ts'
import { formatAmount, visible } from '../../../money/format.ts'
import { deposit as depositText, wallet as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { useNow } from '../../../ui/clock.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { marks, unmark } from '../../../wallet/guard.ts'
import { WalletButton } from '../../../wallet/menu.tsx'
import { presentNetwork } from '../../../wallet/present.ts'
import { type Asking, sendDeposit } from '../../../wallet/send.ts'
import { sessionFor } from '../../../wallet/session.ts'
import { check, verdict } from '../state.ts'
import { Instead } from './instead.tsx'
import { type Asked, Said } from './wallet-said.tsx'

export function WalletDeposit({ action, details }: { action: VerifiedAction | null; details: SwapDetails }) {
  const { swap, quote } = details
  const network = swap.source_network
  const session = sessionFor(network)
  const asked = useSignal<Asked>({ state: 'idle' })
  const amount = formatAmount(quote.requested_amount ?? 0, swap.source_token.symbol)
  // Some families build the transaction for one sender only.
  useEffect(() => {
    if (session) void check(swap.id, session.account.address)
  }, [session?.account.address])

  if (!session)
    return (
      <div class="stack tight">
        <WalletButton network={network} look="primary wide" />
        <Instead details={details} />
      </div>
    )
  const canSend = session.wallet.sends !== false
  const send = async () => {
    if (!action) return
    asked.value = { state: 'asking' }
    const sent = await sendDeposit(action, session, (asking) => (asked.value = { state: 'asking', ...asking }))
    // The sender's sequence, or a block hash, may be out of date.
    if (sent.state !== 'sent') void check(swap.id, session.account.address)
    asked.value = sent.state === 'wrong_network' ? { ...sent, on: await presentNetwork(session.wallet, network) } : sent
  }
  return (
    <div class="stack tight">
      {asked.value.state === 'asking' ? (
        <Notice tone="plain">{askingText(asked.value, session.wallet.name, amount)}</Notice>
      ) : (
        <Said
          asked={asked.value}
          session={session}
          network={visible(network.display_name)}
          onSwitched={send}
          details={details}
        />
      )}
      {!action && <p class="soft small">{depositText.unavailable}</p>}
      {!canSend && <Notice tone="warn">{text.unsupported(session.wallet.name)}</Notice>}
      <Button
        look="primary wide"
        disabled={!action || !canSend || asked.value.state === 'asking'}
        onClick={() => void send()}
      >
        {text.send(amount, session.wallet.name)}
      </Button>
      <div class="row">
        <WalletButton network={network} />
      </div>
      <Instead details={details} />
    </div>
  )
}

function askingText({ kind, at = 1, of = 1 }: Partial<Asking>, name: string, amount: string): string {
  if (kind === 'approve') return text.approve(at, of, amount)
  const confirm = text.confirm(name, amount)
  return of > 1 ? text.stepOf(at, of, confirm) : confirm
}

/** How long a wallet's window may stay open without an answer. */
const SILENCE_MS = 60_000
/** How long a wallet that reported "sent" is believed: a transaction may wait for a block. */
const SENT_MS = 15 * 60_000

/** The deposit was sent, or may have been. The button that asks again appears only after a while, and only the user can choose it. */
export function Marked({ details: { swap } }: { details: SwapDetails }) {
  useNow()
  const mark = marks.value[swap.id]
  useSignatureOutcome(swap.id)
  if (!mark) return null
  const isLong = Date.now() - mark.at >= (mark.isSent ? SENT_MS : SILENCE_MS)
  return (
    <div role="alert" class="stack tight">
      {!mark.isSent && <Notice tone="warn">{text.noAnswer(mark.wallet)}</Notice>}
      {isLong && <Button onClick={() => unmark(swap.id)}>{text.showsNone}</Button>}
    </div>
  )
}

const LOOK_MS = 5_000

/** A gasless deposit that cannot be made any more is not "sent": its page asks again. */
function useSignatureOutcome(swapId: string): void {
  const isSigned = verdict.value?.state === 'verified' && verdict.value.actions[0]?.type === 'sign'
  useEffect(() => {
    if (!isSigned) return
    const look = async () => {
      const told = await client.authorization(swapId).catch(() => null)
      if (told && REFUSED.includes(told.status)) unmark(swapId)
    }
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => clearInterval(timer)
  }, [isSigned])
}

const REFUSED: readonly Authorization['status'][] = ['insufficient', 'rejected', 'expired']

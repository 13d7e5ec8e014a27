/** The amount that a payment link requests, and the button that sends as much as delivers it. */
import { useSignal } from '@preact/signals'
import { problemOf } from '../../../api/problems.ts'
import { formatAmount, visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { amountThatDelivers } from '../review/delivering.ts'
import { from, takeAmount, to } from '../state.ts'
import type { Asked } from './judging.ts'
import { arrival } from './receive.tsx'

export function FromLink({ asks: { amount, contract } }: { asks: Asked }) {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const [a, b] = [from.value, to.value]
  if (!b) return null
  const meant = contract === null ? b.network.token : b.network.tokens.find((token) => token.contract === contract)
  const asked = meant ? formatAmount(amount, visible(meant.symbol)) : amount
  const isMeant = b.token.contract === contract
  const take = async () => {
    if (!a) return
    isBusy.value = true
    problem.value = null
    try {
      takeAmount(await amountThatDelivers(amount, { from: a.token, to: b.token }, (sent) => arrival(sent, a, b)))
    } catch (error) {
      problem.value = problemOf(error, 'once').text
    }
    isBusy.value = false
  }
  return (
    <Notice tone={isMeant ? 'info' : 'warn'}>
      <span>{isMeant ? text.fromLink(asked) : text.fromLinkOther(asked, visible(b.token.symbol))}</span>
      {isMeant && a && (
        <Button look="small" disabled={isBusy.value} onClick={() => void take()}>
          {text.thatAmount}
        </Button>
      )}
      {problem.value && <span>{problem.value}</span>}
    </Notice>
  )
}

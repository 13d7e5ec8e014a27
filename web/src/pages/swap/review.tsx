/** A frozen copy of what was quoted, with whole addresses; then the swap is made, its signature checked, and its page opened. */
import type { CreatedSwap, Quoted } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { client } from '../../api/client.ts'
import { problemOf } from '../../api/problems.ts'
import { keep, keepAmong } from '../../api/storage.ts'
import { type Terms, verify } from '../../api/verified.ts'
import { formatAmount, visible } from '../../money/format.ts'
import { shell, status as statusText, swap as text } from '../../text/en.ts'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { sessionFor } from '../../wallet/session.ts'
import { Breakdown } from './breakdown.tsx'
import { type Choice, hasMoved, methodsOf } from './logic.ts'
import { method } from './state.ts'

export interface Reviewed {
  quoted: Quoted
  from: Choice
  to: Choice
  amount: string
  recipient: string
  refund: string | null
  refuel: boolean
}

interface ReviewProps {
  reviewed: Reviewed
  onClose: () => void
  onCreated: (id: string) => void
}

export function Review({ reviewed, onClose, onCreated }: ReviewProps) {
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const moved = useSignal<Quoted | null>(null)
  const quoted = moved.value ?? reviewed.quoted
  const { from, to } = reviewed
  const gets = formatAmount(quoted.quote.receive_amount ?? 0, to.token.symbol)
  const methods = methodsOf(from.network)

  const create = async () => {
    isBusy.value = true
    problem.value = null
    try {
      const now = await client.quote(requestOf(reviewed))
      const [before, after] = [quoted.quote.receive_amount ?? 0, now.quote.receive_amount ?? 0]
      if (hasMoved(before, after)) {
        moved.value = now
        problem.value = text.moved(formatAmount(after, to.token.symbol), formatAmount(before, to.token.symbol))
        return
      }
      const made = await client.createSwap(bodyOf(reviewed))
      const verdict = await verify(made, termsOf(reviewed))
      if (verdict.state === 'refused') problem.value = statusText.badSignature(verdict.code)
      else if (verdict.state === 'new_key') problem.value = statusText.newKey(verdict.fingerprint)
      else remember(made, reviewed, onCreated)
    } catch (error) {
      problem.value = problemOf(error).text
    } finally {
      isBusy.value = false
    }
  }

  return (
    <Sheet title={text.reviewTitle} closeLabel={shell.close} onClose={onClose}>
      <p class="review-sum">
        {formatAmount(reviewed.amount, from.token.symbol)} <span aria-hidden="true">→</span> {gets}
      </p>
      <p class="soft small">
        {visible(from.network.display_name)} <span aria-hidden="true">→</span> {visible(to.network.display_name)}
      </p>
      <Line name={text.to} address={reviewed.recipient} />
      {reviewed.refund && <Line name={text.back} address={reviewed.refund} />}
      {methods.length > 1 && <Methods methods={methods} />}
      <Breakdown quoted={quoted} />
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      <Button look="primary wide" disabled={isBusy.value} onClick={() => void create()}>
        {isBusy.value ? text.creating : moved.value ? text.takeIt : text.create}
      </Button>
    </Sheet>
  )
}

function Methods({ methods }: { methods: readonly ('wallet' | 'deposit_address')[] }) {
  return (
    <fieldset class="methods">
      <legend class="soft small">{text.funding}</legend>
      {methods.map((name) => (
        <label key={name} class="method">
          <input type="radio" name="method" checked={method.value === name} onChange={() => (method.value = name)} />
          <span>
            <strong>{text.methods[name]}</strong>
            <span class="soft small">{text.methodNotes[name]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Line({ name, address }: { name: string; address: string }) {
  return (
    <div class="review-line">
      <span class="soft small">{name}</span>
      <Address text={address} />
    </div>
  )
}

function requestOf({ from, to, amount, refuel }: Reviewed) {
  return {
    source_network: from.network.name,
    source_token: from.token.contract ?? from.token.symbol,
    destination_network: to.network.name,
    destination_token: to.token.contract ?? to.token.symbol,
    amount,
    refuel,
    use_deposit_address: method.value === 'deposit_address',
  }
}

function bodyOf(reviewed: Reviewed) {
  const session = method.value === 'wallet' ? sessionFor(reviewed.from.network.type) : null
  return {
    ...requestOf(reviewed),
    destination_address: reviewed.recipient,
    ...(reviewed.refund ? { refund_address: reviewed.refund } : {}),
    ...(session ? { source_address: session.account.address } : {}),
  }
}

function termsOf({ from, to, amount, recipient }: Reviewed): Terms {
  return {
    sourceNetwork: from.network.name,
    sourceToken: from.token.contract,
    destinationNetwork: to.network.name,
    destinationToken: to.token.contract,
    amount,
    recipient,
  }
}

function remember({ swap }: CreatedSwap, reviewed: Reviewed, onCreated: (id: string) => void): void {
  keepAmong('swaps', swap.id, 100)
  keepAmong('addresses', reviewed.recipient, 20)
  keep(`terms.${swap.id}`, termsOf(reviewed))
  onCreated(swap.id)
}

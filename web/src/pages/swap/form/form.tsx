/** The form: what to send, what to receive, the recipient, and one button that names the next step. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, site } from '../../../api/client.ts'
import { keepQuoted } from '../../../api/quote-loop.ts'
import { swap as text } from '../../../text/texts.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { current, sessionFor } from '../../../wallet/session.ts'
import { turn } from '../changes.ts'
import { balance, from, isOtherRecipient, locked, quote, recipient, refund, to, wanted } from '../state.ts'
import { useAloud } from './aloud.ts'
import { SendPanel } from './amount.tsx'
import { readBalance } from './balance.ts'
import { useJudged } from './judging.ts'
import { Next } from './next.tsx'
import { Price } from './price.tsx'
import { ReceivePanel } from './receive.tsx'
import { Recipient } from './recipient.tsx'
import { Settings } from './settings.tsx'
import './form.css'

export function SwapForm({ onCreated }: { onCreated: (id: string) => void }) {
  const testAddress = useSignal<string | null>(null)
  const isSettings = useSignal(false)
  useEffect(() => keepQuoted(wanted, quote), [])

  const source = from.value?.network ?? null
  useEffect(() => {
    current.value = source
  }, [source?.name])

  const session = source && sessionFor(source)
  useEffect(() => {
    balance.value = null
    return from.value && session ? readBalance(from.value, session.account.address, balance) : undefined
  }, [source?.name, from.value?.token.symbol, session?.account.address])

  const network = to.value?.network.name
  useEffect(() => {
    testAddress.value = null
    if (network && site.value?.isSandbox)
      void ask<{ address: string }>('/sandbox/address', { network }).then(
        ({ address }) => (testAddress.value = address),
        () => undefined,
      )
  }, [network, site.value?.isSandbox])

  useAloud(quote.value.isAsking ? null : quote.value.quoted)
  const own = (to.value && sessionFor(to.value.network)?.account.address) ?? null
  const isOwn = recipient.value.trim() === '' && own !== null && !isOtherRecipient.value
  const there = useJudged(isOwn ? own : recipient.value, to.value, (address) => (recipient.value = address))
  const back = useJudged(refund.value, from.value, (address) => (refund.value = address))

  return (
    <form class="card swap-card" onSubmit={(event) => event.preventDefault()}>
      <div class="swap-head">
        <h1>{text.heading}</h1>
        <IconButton
          name={text.settings}
          icon="gear"
          aria-expanded={isSettings.value}
          onClick={() => (isSettings.value = !isSettings.value)}
        />
      </div>
      <div class="panels">
        <SendPanel />
        <ReceivePanel />
        <button type="button" class="turn" aria-label={text.turn} disabled={locked.value.length > 0} onClick={turn}>
          <Icon name="turn" />
        </button>
      </div>
      <Recipient judged={there} own={own} isOwn={isOwn} testAddress={testAddress.value} />
      <Price />
      <Next
        there={there}
        back={back}
        recipient={isOwn && own ? own : recipient.value}
        isOwn={isOwn}
        onRefund={() => (isSettings.value = true)}
        onCreated={onCreated}
      />
      {isSettings.value && <Settings back={back} onClose={() => (isSettings.value = false)} />}
    </form>
  )
}

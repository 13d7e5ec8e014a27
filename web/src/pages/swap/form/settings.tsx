/** Settings of one swap: slippage, refund address, gas top-up. A card over the form, a sheet on a phone. */
import { useEffect, useRef } from 'preact/hooks'
import { formatAmount, formatUsd, visible } from '../../../money/format.ts'
import { exchanging, shell, swap as text } from '../../../text/texts.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { from, needsRefund, refuel, refund, to } from '../state.ts'
import type { Judged } from './judging.ts'
import { ScanButton } from './scan.tsx'
import { Slippage } from './slippage.tsx'

export function Settings({ back, onClose }: { back: Judged; onClose: () => void }) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    panel.current?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <div
      class="settings"
      role="dialog"
      aria-label={text.settingsTitle}
      tabIndex={-1}
      ref={panel}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div class="row between settings-head">
        <h2>{text.settings}</h2>
        <IconButton name={shell.close} icon="close" onClick={onClose} />
      </div>
      <Slippage />
      <Refund back={back} />
      <Refuel />
    </div>
  )
}

function Refund({ back }: { back: Judged }) {
  const name = visible(from.value?.network.display_name ?? '')
  const isNeeded = needsRefund.value && !(from.value && sessionFor(from.value.network))
  const paste = async () => {
    refund.value = (await navigator.clipboard.readText().catch(() => '')).trim()
  }
  return (
    <div class="field">
      <label for="refund">
        {text.back} {!isNeeded && <span class="faint">{text.optional}</span>}
      </label>
      <div class={back.state === 'bad' ? 'input-line wrong' : 'input-line'}>
        <input
          id="refund"
          class="mono"
          aria-label={text.backLabel(name)}
          aria-invalid={back.state === 'bad'}
          aria-describedby="refund-says"
          placeholder={text.backPlaceholder(name)}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={refund.value}
          onInput={({ currentTarget }) => (refund.value = currentTarget.value)}
        />
        {refund.value === '' ? (
          <>
            <ScanButton onRead={(read) => (refund.value = read.trim())} />
            <Button look="plain" icon="paste" onClick={() => void paste()}>
              {text.paste}
            </Button>
          </>
        ) : (
          <IconButton name={text.clear} icon="close" onClick={() => (refund.value = '')} />
        )}
      </div>
      <span id="refund-says" class={back.state === 'bad' ? 'help bad-text' : 'help'}>
        {back.text ?? (isNeeded ? exchanging.backNeeded : text.backHelp)}
      </span>
    </div>
  )
}

function Refuel() {
  const choice = to.value
  if (!choice) return null
  const network = visible(choice.network.display_name)
  const { refuel: offered } = choice.token
  if (!offered) return <p class="help">{text.refuelNone(network)}</p>
  return (
    <div class="settings-switch">
      <div>
        <span class="label" id="refuel">
          {text.refuel(formatAmount(Number(offered.amount.toPrecision(2)), offered.token.symbol), network)}
        </span>
        <p class="help">{text.refuelHelp(formatUsd(offered.amount_in_usd), network)}</p>
      </div>
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={refuel.value}
        aria-labelledby="refuel"
        onClick={() => (refuel.value = !refuel.value)}
      />
    </div>
  )
}

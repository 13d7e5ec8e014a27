/** An address field: typed, pasted or from the wallet; checked here at once, and again by the service. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { kept } from '../../../api/storage.ts'
import { shortAddress, visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/en.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { FromLink } from './from-link.tsx'
import { type Asked, type Judged, judge, NOTHING } from './judging.ts'
import { ScanButton } from './scan.tsx'

interface AddressFieldProps {
  id: 'recipient' | 'refund'
  label: string
  name: string
  network: RouteNetwork | null
  symbol: string
  value: Signal<string>
  verdict: Signal<Judged>
  isLocked?: boolean
  placeholder?: string
  suggestion?: string | null
}

export function AddressField(props: AddressFieldProps) {
  const { id, label, name, network, symbol, value, verdict, isLocked = false, placeholder = '', suggestion } = props
  const pasteFailed = useSignal(false)
  // The amount from a payment link is kept while its address is in the field.
  const linked = useSignal<{ address: string; asks: Asked } | null>(null)
  useEffect(() => {
    const asked = new AbortController()
    verdict.value = value.value.trim() === '' ? NOTHING : { ...NOTHING, state: 'asking' }
    if (value.value.trim() !== '' && network) {
      void judge(value.value, network, symbol, asked.signal).then((judged) => {
        if (asked.signal.aborted) return
        if (judged.address && judged.asks) linked.value = { address: judged.address, asks: judged.asks }
        if (judged.address && judged.address !== value.value) value.value = judged.address
        verdict.value = judged
      })
    }
    return () => asked.abort()
  }, [value.value, network?.name])

  const paste = async () => {
    try {
      value.value = (await navigator.clipboard.readText()).trim()
      pasteFailed.value = false
    } catch {
      pasteFailed.value = true
    }
  }
  const own = network && sessionFor(network)?.account.address
  const offered = own ?? suggestion ?? null
  const judged = verdict.value
  const isNew = id === 'recipient' && judged.state === 'ok' && judged.address !== own && !isKnown(judged.address ?? '')
  return (
    <div class="field address-field">
      <div class="address-head">
        <label class="soft small" for={id}>
          {label}
        </label>
        {!isLocked && value.value === '' && (
          <span class="address-buttons">
            {offered && (
              <Button look="small" onClick={() => (value.value = offered)}>
                {own ? text.useMine(shortAddress(offered)) : text.testAddress}
              </Button>
            )}
            <ScanButton onRead={(read) => (value.value = read.trim())} />
            <Button look="small" onClick={() => void paste()}>
              {text.paste}
            </Button>
          </span>
        )}
      </div>
      <div class="address-line">
        <input
          id={id}
          class="input mono"
          aria-label={name}
          aria-invalid={judged.state === 'bad'}
          aria-describedby={`${id}-says`}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          readOnly={isLocked}
          placeholder={placeholder}
          value={value.value}
          onInput={({ currentTarget }) => {
            value.value = currentTarget.value
          }}
        />
      </div>
      <div id={`${id}-says`} class="stack tight">
        {pasteFailed.value && <Notice tone="warn">{text.pasteFailed}</Notice>}
        {judged.text && <Notice tone={judged.state === 'bad' ? 'bad' : 'warn'}>{judged.text}</Notice>}
        {id === 'recipient' && linked.value && linked.value.address === value.value && (
          <FromLink asks={linked.value.asks} />
        )}
        {isNew && <span class="soft small">{text.newHere}</span>}
      </div>
    </div>
  )
}

function isKnown(address: string): boolean {
  return (kept<string[]>('addresses') ?? []).includes(address)
}

export function nameOf(network: RouteNetwork | null): string {
  return visible(network?.display_name ?? '')
}

/** The recipient: the connected wallet's own account unless another address is typed, pasted or scanned. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { kept } from '../../../api/storage.ts'
import { shortAddress, visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sessionFor } from '../../../wallet/session.ts'
import { forgetRecipient } from '../changes.ts'
import { isOtherRecipient, locked, recipient, to } from '../state.ts'
import { FromLink } from './from-link.tsx'
import type { Judged } from './judging.ts'
import { Recent } from './recent.tsx'
import { ScanButton } from './scan.tsx'

interface RecipientProps {
  judged: Judged
  own: string | null
  isOwn: boolean
  testAddress: string | null
}

export function Recipient({ judged, own, isOwn, testAddress }: RecipientProps) {
  const isLocked = locked.value.includes('recipient')
  return (
    <div class="to-block">
      {isOwn && own ? <OwnAccount address={own} /> : <Field {...{ judged, own, testAddress, isLocked }} />}
      <Says judged={judged} own={own} />
    </div>
  )
}

function OwnAccount({ address }: { address: string }) {
  const network = to.value?.network
  const icon = network && sessionFor(network)?.wallet.icon
  return (
    <div class="to">
      {icon ? <img src={icon} alt="" width={28} height={28} /> : <Icon name="wallet" />}
      <span class="to-who">
        <small>{text.toOwn(visible(network?.display_name ?? ''))}</small>
        <span class="mono mid">{shortAddress(address)}</span>
      </span>
      <Button look="plain" onClick={() => (isOtherRecipient.value = true)}>
        {text.change}
      </Button>
    </div>
  )
}

interface FieldProps {
  judged: Judged
  own: string | null
  testAddress: string | null
  isLocked: boolean
}

/** Longer addresses would be cut at their end. */
const SHOWN_WHOLE = 24

function Field({ judged, own, testAddress, isLocked }: FieldProps) {
  const pasteFailed = useSignal(false)
  const isFocused = useSignal(false)
  const choice = to.value
  const isEmpty = recipient.value === ''
  const field = useRef<HTMLInputElement>(null)
  const isShort = !isFocused.value && recipient.value.length > SHOWN_WHOLE
  const paste = async () => {
    try {
      recipient.value = (await navigator.clipboard.readText()).trim()
      pasteFailed.value = false
    } catch {
      pasteFailed.value = true
    }
  }
  const edit = (event: MouseEvent) => {
    event.preventDefault()
    field.current?.focus()
  }
  return (
    <>
      <div class={judged.state === 'bad' ? 'to wrong' : 'to'}>
        <Icon name="wallet" />
        {isShort && (
          // The field keeps the whole address; both ends are shown, since people compare them.
          <span class="to-short mono" aria-hidden="true" onMouseDown={edit}>
            {`${recipient.value.slice(0, 10)}…${recipient.value.slice(-8)}`}
          </span>
        )}
        <input
          ref={field}
          id="recipient"
          class={isShort ? 'out-of-sight' : isEmpty ? '' : 'mono'}
          aria-label={choice ? text.toLabel(visible(choice.network.display_name)) : text.to}
          aria-invalid={judged.state === 'bad'}
          aria-describedby="recipient-says"
          placeholder={text.to}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          readOnly={isLocked}
          value={recipient.value}
          onInput={({ currentTarget }) => (recipient.value = currentTarget.value)}
          onFocus={() => (isFocused.value = true)}
          onBlur={() => (isFocused.value = false)}
        />
        {!isLocked && isEmpty && (
          <>
            {testAddress && !own && (
              <Button look="plain" aria-label={text.testAddress} onClick={() => (recipient.value = testAddress)}>
                {text.testAddressShort}
              </Button>
            )}
            <ScanButton onRead={(read) => (recipient.value = read.trim())} />
            <Button look="plain" icon="paste" onClick={() => void paste()}>
              {text.paste}
            </Button>
          </>
        )}
        {!isLocked && (!isEmpty || own) && <IconButton name={text.clear} icon="close" onClick={forgetRecipient} />}
      </div>
      {isFocused.value && isEmpty && choice && <Recent choice={choice} />}
      {pasteFailed.value && <p class="to-says warn-text">{text.pasteFailed}</p>}
    </>
  )
}

function Says({ judged, own }: { judged: Judged; own: string | null }) {
  const isNew = judged.state === 'ok' && judged.address !== own && !isKnown(judged.address ?? '')
  return (
    <div id="recipient-says" aria-live="polite">
      {judged.text && <p class={`to-says ${judged.state === 'bad' ? 'bad-text' : 'warn-text'}`}>{judged.text}</p>}
      {judged.asks && judged.address === recipient.value && <FromLink asks={judged.asks} />}
      {isNew && !judged.text && <p class="to-says soft">{text.newHere}</p>}
    </div>
  )
}

function isKnown(address: string): boolean {
  return (kept<string[]>('addresses') ?? []).includes(address)
}

/** The button that shows a chosen token and opens the picker. */
import { useSignal } from '@preact/signals'
import { visible } from '../../money/format.ts'
import { picker as pickerText, swap as text } from '../../text/en.ts'
import { Icon } from '../../ui/icon.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Picker } from './picker.tsx'
import { choose, destinations, from, locked, sources, to } from './state.ts'

export function TokenButton({ side }: { side: 'source' | 'destination' }) {
  const isOpen = useSignal(false)
  const choice = side === 'source' ? from.value : to.value
  const networks = side === 'source' ? sources.value : destinations.value
  const isLocked = locked.value.includes(side === 'source' ? 'from' : 'to')
  return (
    <>
      <button
        type="button"
        class="token-button"
        disabled={isLocked}
        aria-haspopup="dialog"
        onClick={() => (isOpen.value = true)}
      >
        <span class="out-of-sight">{side === 'source' ? text.send : text.receive}: </span>
        {choice ? (
          <>
            <Logo token={choice.token.logo} network={choice.network.logo} />
            <span class="token-name">
              <strong>{visible(choice.token.symbol)}</strong>{' '}
              <span class="soft">{visible(choice.network.display_name)}</span>
            </span>
          </>
        ) : (
          <strong>{pickerText.choose}</strong>
        )}
        {!isLocked && <Icon name="down" />}
      </button>
      {isOpen.value && (
        <Picker
          side={side}
          networks={networks}
          onChoose={(taken) => choose(side, taken)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </>
  )
}

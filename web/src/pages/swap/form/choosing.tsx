/** The button that shows the chosen token and opens the picker. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { visible } from '../../../money/format.ts'
import { picker as pickerText, swap as text } from '../../../text/en.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Logo } from '../../../ui/logo.tsx'
import { Picker } from '../picker/picker.tsx'
import { choose, destinations, from, loadRoutes, locked, sources, to } from '../state.ts'

/** A token that is unavailable now may be available in a moment, so the list is refreshed. */
const FRESH_MS = 5_000

export function TokenButton({ side }: { side: 'source' | 'destination' }) {
  const isOpen = useSignal(false)
  const choice = side === 'source' ? from.value : to.value
  const networks = side === 'source' ? sources.value : destinations.value
  const isRead = sources.value.length > 0
  useEffect(() => {
    // The first load also fetches other data and must not be interrupted.
    if (!isOpen.value || !isRead) return
    loadRoutes()
    const timer = setInterval(() => loadRoutes(), FRESH_MS)
    return () => clearInterval(timer)
  }, [isOpen.value, isRead])
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

/** The button that shows the chosen token and opens the picker. */
import { useEffect } from 'preact/hooks'
import { visible } from '../../../money/format.ts'
import { picker as pickerText, swap as text } from '../../../text/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { TokenLogo } from '../../../ui/logo.tsx'
import { choose } from '../changes.ts'
import { Picker } from '../picker/picker.tsx'
import { loadRoutes } from '../routes.ts'
import { destinations, from, locked, opening, sources, to } from '../state.ts'

/** A token that is unavailable now may be available in a moment, so the list is refreshed. */
const FRESH_MS = 5_000

export function TokenButton({ side }: { side: 'source' | 'destination' }) {
  const isOpen = opening.value === side
  const choice = side === 'source' ? from.value : to.value
  const networks = side === 'source' ? sources.value : destinations.value
  const isRead = sources.value.length > 0
  useEffect(() => {
    // The first load also fetches other data and must not be interrupted.
    if (!isOpen || !isRead) return
    loadRoutes()
    const timer = setInterval(() => loadRoutes(), FRESH_MS)
    return () => clearInterval(timer)
  }, [isOpen, isRead])
  const isLocked = locked.value.includes(side === 'source' ? 'from' : 'to')
  return (
    <>
      <button
        type="button"
        class={choice ? 'token-button' : 'token-button empty'}
        disabled={isLocked}
        aria-haspopup="dialog"
        onClick={() => (opening.value = side)}
      >
        <span class="out-of-sight">{side === 'source' ? text.send : text.receive}: </span>
        {choice ? (
          <>
            <TokenLogo token={choice.token} network={choice.network} />
            <span class="token-name">
              <b>{visible(choice.token.symbol)}</b> <small>{visible(choice.network.display_name)}</small>
            </span>
          </>
        ) : (
          <span>{pickerText.choose}</span>
        )}
        {!isLocked && <Icon name="down" />}
      </button>
      {isOpen && (
        <Picker
          side={side}
          networks={networks}
          onChoose={(taken) => choose(side, taken)}
          onClose={() => (opening.value = null)}
        />
      )}
    </>
  )
}

/** Addresses of a network that were paid from this browser. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { kept } from '../../../api/storage.ts'
import { shortAddress } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { loadFamily } from '../../../wallet/families.ts'
import type { Choice } from '../logic.ts'
import { recipient } from '../state.ts'

const MOST_RECENT = 3

/** Addresses of this network that were paid from this browser. Lies over the form, so that nothing moves. */
export function Recent({ choice }: { choice: Choice }) {
  const found = useSignal<string[]>([])
  useEffect(() => {
    const known = kept<string[]>('addresses') ?? []
    void loadFamily(choice.network.type).then((family) => {
      const fits = (address: string) => family?.readAddress(address, choice.network).state === 'ok'
      found.value = known.filter(fits).slice(0, MOST_RECENT)
    })
  }, [choice.network.name])
  if (found.value.length === 0) return null
  return (
    <div class="recent">
      <span class="tiny soft">{text.recent}</span>
      {found.value.map((address) => (
        <button
          key={address}
          type="button"
          class="mono"
          // Runs before the field loses the focus, which would close this list.
          onMouseDown={(event) => {
            event.preventDefault()
            recipient.value = address
          }}
          onClick={() => (recipient.value = address)}
        >
          {shortAddress(address)}
        </button>
      ))}
    </div>
  )
}
